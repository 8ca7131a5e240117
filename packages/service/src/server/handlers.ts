import { type Answer, HostError, type InstanceSummary, type InstanceView } from '@dramaturg/host';
import type { Actor } from '../access/principal.ts';
import { hasScope, type Scope, scopeSchema } from '../access/scopes.ts';
import { EventRefusedError, RequestError } from '../failure.ts';
import type { ServedOperations } from '../operations.ts';
import type { Input, Output, RouteName } from '../routes.ts';
import { backUpTo } from './backup-target.ts';
import { given } from './given.ts';
import { statusOfHost } from './host-status.ts';

export interface RequestContext {
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
  /** Absent where no token is asked for: then the request may say who acts. */
  readonly identity?: Actor | undefined;
  /** What the sender may do. */
  readonly scopes: readonly Scope[];
  /** The header `Idempotency-Key`. */
  readonly idempotencyKey?: string | undefined;
  /** The header `traceparent`, if it is one. */
  readonly traceparent?: string | undefined;
}

type Handlers = {
  readonly [Name in RouteName]: (
    id: string,
    input: Input<Name>,
    context: RequestContext,
  ) => Promise<unknown>;
};

export type Handle = (
  id: string,
  input: unknown,
  context: RequestContext,
) => Promise<Output<RouteName>>;

/** What the service does for each of its routes. */
export function handlersFor(host: ServedOperations): Handlers {
  return {
    status: () => statusOfHost(host),
    me: async (_, __, { identity, scopes }) => ({
      name: identity?.name ?? null,
      roles: identity?.roles ?? [],
      scopes: scopeSchema.options.filter((scope) => hasScope(scopes, scope)),
    }),
    queues: () => host.queues(),
    inbox: (_, { queue, q, after, limit, ...filter }) =>
      host.inbox(given({ ...filter, queue: queue === 'all' ? undefined : queue, text: q }), {
        limit,
        ...given({ after }),
      }),
    acts: (_, { format: _format, after, limit, ...filter }) =>
      host.acts(given(filter), { limit, ...given({ after }) }),
    damaged: async () => ({ records: await host.damaged() }),
    definitions: async () => ({ items: await host.definitions() }),
    check: async (_, file) => ({ diagnostics: await host.check(file) }),
    define: (name, file) => host.define({ name, ...file }),
    list: async (_, { after, limit, details = false, ...filter }) => {
      const page = await host.list(given(filter), { limit, ...given({ after }) });
      return details ? { ...page, items: await inDetail(host, page.items, limit) } : page;
    },
    find: async (_, { prefix }) => ({ items: await host.find(prefix) }),
    get: (id) => host.get(id),
    transcript: async (id, range) => {
      await host.get(id);
      return { lines: await host.transcript(id, range) };
    },
    journal: async (id, range) => {
      await host.get(id);
      return { lines: await host.journal(id, range) };
    },
    charts: (id) => host.charts(id),
    items: (id, { after, limit, ...filter }) =>
      host.items(id, given(filter), { limit, ...given({ after }) }),
    decisions: (_, { after, limit, ...filter }) =>
      host.decisions(given(filter), { limit, ...given({ after }) }),
    decision: (id) => host.decision(id),
    decide: async (id, decided, { identity }) =>
      accepted(await host.decide(id, given(decidedBy(identity, decided)))),
    checkpoints: async (id) => ({ items: await host.checkpoints(id) }),
    start: (_, order, { identity, idempotencyKey, traceparent }) =>
      host.start(withKey(startedBy(identity, order), idempotencyKey), { traceparent }),
    send: async (id, { event }, { identity }) => {
      if (identity !== undefined && event.type === 'decision.made')
        throw new RequestError(
          'request/identity',
          'A decision is not sent as an event, because the token says who decides.',
          { hint: 'Use POST /decisions/:id.' },
        );
      const isAct = ['pause', 'resume', 'cancel', 'intervene'].includes(event.type);
      return accepted(
        await host.send(id, isAct ? { ...event, ...actor(identity, { by: event['by'] }) } : event),
      );
    },
    pause: async (id, act, { identity }) => accepted(await host.pause(id, actor(identity, act))),
    resume: async (id, act, { identity }) => accepted(await host.resume(id, actor(identity, act))),
    cancel: async (id, { reason, ...act }, { identity }) =>
      accepted(await host.cancel(id, reason, actor(identity, act))),
    intervene: async (id, { text, upTo, ...act }, { identity }) =>
      accepted(await host.intervene(id, text, { ...actor(identity, act), ...given({ upTo }) })),
    takeOver: async (id, { forMs, force, ...act }, { identity, scopes }) => {
      requireMayForce(force, scopes);
      const options = given({ forMs, force });
      return accepted(await host.takeOver(id, { ...options, ...person(identity, act) }));
    },
    renewClaim: async (id, act, { identity }) =>
      accepted(await host.renewClaim(id, person(identity, act))),
    handBack: async (id, { force, ...act }, { identity, scopes }) => {
      requireMayForce(force, scopes);
      return accepted(await host.handBack(id, { ...given({ force }), ...actor(identity, act) }));
    },
    addNote: async (id, { text, ...act }, { identity }) =>
      accepted(await host.addNote(id, text, person(identity, act))),
    draft: (id, act, { identity, signal }) => host.draft(id, { ...person(identity, act), signal }),
    migrate: async (id, { undo, ...options }) =>
      accepted(await (undo ? host.undoMigration(id) : host.migrate(id, given(options)))),
    assess: (_, { definition, map = {}, after, limit }) =>
      host.assess(given(definition), map, { limit, ...given({ after }) }),
    fork: (id, at, { signal }) =>
      host.fork(id, 'step' in at ? { ...given(at), signal } : given(at)),
    erase: (_, options) => host.erase(options),
    backup: async (_, { target }) => {
      await backUpTo(target, (to) => host.backup(to));
      return {};
    },
    verify: () => host.verify(() => {}),
    receive: async (_, message, { idempotencyKey, traceparent }) => {
      const id = sameKey('id', message.id, idempotencyKey);
      const routed = await host.receive({ ...message, id }, { traceparent });
      if (routed.instance === null || routed.accepted) return routed;
      // The sender has not seen the first answer, and repeats its request.
      if (routed.code === 'message/repeated')
        return { instance: routed.instance, accepted: true, state: routed.state, repeated: true };
      return accepted(routed, routed.instance);
    },
  };
}

/** How many instances are listed with their details at once. */
const detailsMax = 100;

async function inDetail(
  host: ServedOperations,
  items: readonly InstanceSummary[],
  limit: number,
): Promise<readonly InstanceView[]> {
  if (limit > detailsMax)
    throw new RequestError('request/invalid', `With details, at most ${detailsMax} are listed.`, {
      hint: `Ask for pages: limit=${detailsMax}, and then after= with "next".`,
      errors: [{ path: '/limit', detail: `At most ${detailsMax}` }],
    });
  const found = items.map(async ({ id }) => {
    try {
      return [await host.get(id)];
    } catch (error) {
      // It was erased since it was listed.
      if (error instanceof HostError && error.code === 'host/unknown-instance') return [];
      throw error;
    }
  });
  return (await Promise.all(found)).flat();
}

function accepted(result: Answer, instance?: string): Answer {
  if (!result.accepted) throw new EventRefusedError(result, instance);
  return result;
}

/** Who acts: the token says it, else the request. */
function actor(identity: Actor | undefined, { by }: { readonly by?: unknown }): { by?: string } {
  if (identity) {
    if (by !== undefined) throw fromToken('by');
    return { by: identity.name };
  }
  if (by === undefined) return {};
  if (typeof by === 'string') return { by };
  throw new RequestError('request/invalid', 'The name of a person in "by" is a text.', {
    errors: [{ path: '/by', detail: 'Expected a text' }],
  });
}

function person(
  identity: Actor | undefined,
  act: { readonly by?: string | undefined },
): { readonly by: string } {
  const { by } = actor(identity, act);
  if (by !== undefined) return { by };
  throw new RequestError('request/invalid', 'The request does not say who acts.', {
    hint: 'Give the name of the person in "by", or send a token.',
    errors: [{ path: '/by', detail: 'The name of a person' }],
  });
}

function requireMayForce(force: boolean | undefined, scopes: readonly Scope[]): void {
  if (force !== true || hasScope(scopes, 'admin')) return;
  throw new RequestError(
    'access/scope',
    'Only an administrator takes a conversation from its owner.',
    {
      hint: 'Use a token with the scope "admin", ask the owner, or wait until the claim expires.',
      status: 403,
    },
  );
}

function decidedBy(identity: Actor | undefined, decided: Input<'decide'>): Input<'decide'> {
  if (!identity) return decided;
  if (decided.by !== undefined || decided.roles !== undefined)
    throw fromToken(decided.by === undefined ? 'roles' : 'by');
  return { ...decided, by: identity.name, roles: [...identity.roles] };
}

function startedBy(identity: Actor | undefined, order: Input<'start'>): Input<'start'> {
  if (!identity) return order;
  if (order.by !== undefined) throw fromToken('by');
  return { ...order, by: identity.name };
}

function fromToken(field: string): RequestError {
  return new RequestError(
    'request/identity',
    `The token says who acts, so "${field}" is refused.`,
    {
      hint: `Leave out "${field}".`,
      errors: [{ path: `/${field}`, detail: 'The token says it.' }],
    },
  );
}

/** The header `Idempotency-Key` of a start is the id of the instance, unless the body has one. */
function withKey(order: Input<'start'>, key: string | undefined): Input<'start'> {
  return key === undefined ? order : { ...order, id: order.id ?? key, once: true };
}

function sameKey(
  field: string,
  id: string | undefined,
  key: string | undefined,
): string | undefined {
  if (id === undefined || key === undefined || id === key) return id ?? key;
  throw new RequestError('request/invalid', `The header Idempotency-Key and "${field}" differ.`, {
    hint: 'Give one of them, or the same value twice.',
  });
}

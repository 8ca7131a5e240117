import type { EraseOptions, ErasureReceipt, Routed } from '@dramaturg/host';
import type { Started } from '@dramaturg/host/engine';
import {
  handlers,
  object,
  type ObjectContext,
  type ObjectSharedContext,
  serde,
  type Serde,
} from '@restatedev/restate-sdk';
import type { ServiceNames } from '../names.ts';
import { nothingRetained } from '../restate/retention.ts';
import { type Outcome, outcomeOf, valueOf } from '../restate/outcome.ts';
import { ContactWork, type LineInstances, type ReceivedMessages } from './contact-work.ts';
import { ContactLine, type StoredLine } from './line.ts';
import type { LinePosition, LineStart, RouteOrder } from './messages.ts';

const lineKey = 'line';

/** State keys with one entry for each instance, so that a start writes a constant amount. */
const memberPrefix = 'member/';

/** State keys with one entry for each message with an id: the instance that received it. */
const messagePrefix = 'message/';

/** The record of a copy of an instance of the contact. Times are milliseconds since 1970 UTC. */
export interface CopyLink {
  readonly original: string;
  readonly copy: string;
  readonly createdAt: number;
}

/** Deletes instances and what belongs to them. Its work may be repeated. */
export interface ContactEraser {
  /** @throws InstancesRunningError; HostError `host/cannot-erase` */
  readonly erase: (
    contact: string,
    running: NonNullable<EraseOptions['running']>,
  ) => Promise<ErasureReceipt>;
  /** @throws HostError `host/unknown-instance` when the original no longer exists */
  readonly link: (contact: string, link: CopyLink) => Promise<void>;
}

/**
 * The object of a contact: the line of its instances. Key: the contact in its canonical form. Restate runs one handler of an
 * object at a time, in the order of the calls.
 *
 * @param eraser erases instances; its work may be repeated
 */
export function contactObject(names: ServiceNames, eraser: ContactEraser) {
  return object({
    name: names.contact,
    handlers: {
      start: (context: ObjectContext, start: LineStart): Promise<Outcome<Started>> =>
        withLine(names, context, (work) => work.start(start)),
      route: (
        context: ObjectContext,
        order: RouteOrder,
      ): Promise<Outcome<readonly Outcome<Routed>[]>> =>
        withLine(names, context, (work) => work.route(order)),
      /** An instance has moved in the line, or left it. */
      moved: (context: ObjectContext, position: LinePosition): Promise<Outcome<void>> =>
        withLine(names, context, (work) => work.moved(position, position.updatedAt)),
      /** An instance of the contact was erased. */
      erased: async (
        context: ObjectContext,
        { id }: { readonly id: string },
      ): Promise<Outcome<void>> => {
        context.clear(memberPrefix + id);
        for (const key of await context.stateKeys())
          if (key.startsWith(messagePrefix) && (await context.get(key)) === id) context.clear(key);
        return withLine(names, context, (work) => work.erased(id));
      },
      /** The ids of all instances of the contact, including those that have ended. */
      members: handlers.object.shared(
        async (context: ObjectSharedContext): Promise<Outcome<readonly string[]>> => {
          const keys = await context.stateKeys();
          const members = keys.filter((key) => key.startsWith(memberPrefix));
          return { value: members.map((key) => key.slice(memberPrefix.length)) };
        },
      ),
      /** Stores the record that leads from the contact to a copy of one of its instances. */
      link: (context: ObjectContext, link: CopyLink): Promise<Outcome<void>> =>
        context.run('link', () => outcomeOf(() => eraser.link(context.key, link))),
      erase: handlers.object.exclusive(
        { inactivityTimeout: { hours: 1 } },
        async (
          context: ObjectContext,
          running: NonNullable<EraseOptions['running']>,
        ): Promise<Outcome<ErasureReceipt>> => {
          const outcome = await context.run('erase', () =>
            outcomeOf(() => eraser.erase(context.key, running)),
          );
          if ('value' in outcome) context.clearAll();
          return outcome;
        },
      ),
    },
    options: { enableLazyState: true, ...nothingRetained },
  });
}

async function withLine<Value>(
  names: ServiceNames,
  context: ObjectContext,
  work: (work: ContactWork) => Promise<Value>,
): Promise<Outcome<Value>> {
  const line = new ContactLine((await context.get<StoredLine>(lineKey)) ?? undefined);
  const noteMember = (id: string) => context.set(memberPrefix + id, true);
  const received: ReceivedMessages = {
    receiver: (message) => context.get<string>(messagePrefix + message),
    note: (message, instance) => context.set(messagePrefix + message, instance),
  };
  const outcome = await outcomeOf(() =>
    work(new ContactWork(line, instancesOf(names, context), received, noteMember)),
  );
  if (line.isEmpty) context.clear(lineKey);
  else context.set(lineKey, line.stored);
  return outcome;
}

function instancesOf({ instance: service }: ServiceNames, context: ObjectContext): LineInstances {
  const call = async <Value>(key: string, method: string, parameter: unknown): Promise<Value> =>
    valueOf(
      await context.genericCall<unknown, Outcome<Value>>({
        service,
        method,
        key,
        parameter,
        inputSerde: serde.json as Serde<unknown>,
        outputSerde: serde.json as never,
      }),
    );
  return {
    create: ({ birth, definition, at }, createdAt) =>
      call(birth.id, 'create', { at, createdAt, definition, birth }),
    takeAll: (id, order) => call(id, 'takeAll', order),
    position: async (id) => (await call<LinePosition | null>(id, 'position', null)) ?? undefined,
  };
}

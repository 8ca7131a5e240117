import type { Port } from '@dramaturg/compiler';
import { realWorld } from '@dramaturg/compiler/machine';
import {
  HostError,
  type HostEvent,
  type HostOptions,
  type InstanceHistory,
  realClock,
  StoreError,
} from '@dramaturg/host';
import {
  badRequest,
  Activity,
  aliveId,
  AttachmentFiles,
  birthOf,
  type BirthOrder,
  boundsOf,
  Checkpoints,
  Copies,
  type DefinitionsToStart,
  type DraftParts,
  Eraser,
  ErrorReporter,
  type ForkCreator,
  Forking,
  ForkRecord,
  hostStopped,
  type InstanceReader,
  journalLine,
  Library,
  linkCopy,
  type OnError,
  parseInboxLimits,
  parseLimits,
  requireStartContact,
  resetsTimers,
  Retention,
  Schedule,
  servicesOf,
  startOfCopy,
  stateOf,
  unlessErased,
  withAgentRules,
} from '@dramaturg/host/engine';
import type { DefinitionVersion } from '@dramaturg/host/store';
import { type ContactEraser, contactObject, type CopyLink } from './contact/contact-object.ts';
import { ContactSender } from './contact/contact-sender.ts';
import { type Engine, EngineWorld } from './engine.ts';
import { instanceObject } from './instance/instance-object.ts';
import { InstanceSender } from './instance/instance-sender.ts';
import type { EventOrder, LineStart } from './instance/messages.ts';
import { keptKey } from './instance/state-layout.ts';
import { namesIn, type ServiceNames } from './names.ts';
import type { RestateHostOptions } from './options.ts';
import { JournalFollowers } from './reading/journal-follower.ts';
import { RestateStore } from './reading/restate-store.ts';
import { recordObject } from './records/record-object.ts';
import { Admin, quoted } from './restate/admin.ts';
import { Ingress, type Target } from './restate/ingress.ts';
import { Deliverer } from './work/deliverer.ts';
import { EventFeed } from './work/event-feed.ts';
import { OpenWork, PortCaller, untilReached } from './work/port-caller.ts';
import { Presence } from './work/presence.ts';

/** The parts of a host on Restate. */
export type RestateParts = ReturnType<typeof composeRestateHost>;

/** Builds the parts of a host, and wires them. */
export function composeRestateHost(options: RestateHostOptions, isStopping: () => boolean) {
  const { namespace = 'dramaturg', behaviours, ports = {} } = options;
  const names = namesIn(namespace);
  const ingress = new Ingress(options.ingress);
  const admin = new Admin(options.admin);
  const schedule = new Schedule(realClock());
  const activity = new Activity();
  const errors = new ErrorReporter({ onError: options.onError, schedule, isStopping });
  const onError = errors.report;
  const bounds = boundsOf(options);
  const world = new EngineWorld();
  const store = new RestateStore({ ingress, admin, names });
  const followers = new JournalFollowers({
    store,
    lineCount: (id) => ingress.call(toInstance(id, 'lineCount'), null),
    now: realWorld.now,
  });
  const channels = new Map(Object.entries(options.channels ?? {}));
  const presence: Presence = new Presence({
    stored: async () => {
      const sql = `SELECT value_utf8 AS value FROM state WHERE service_name = ${quoted(names.record)} AND service_key = ${quoted(aliveId)} AND key = 'snapshot'`;
      const [row] = await admin.query<{ readonly value: string }>(sql);
      return row && JSON.parse(row.value);
    },
    store,
    library: () => library,
    schedule,
    activity,
    notify: (instance, stoppedAt) =>
      ingress.call(toInstance(instance, 'recover'), { at: realWorld.now(), stoppedAt }),
    onError,
  });
  const library: Library = new Library({
    store,
    behaviours,
    world,
    nextReplies: ports.wantsNextReplies,
    onError,
    onDefinition: ({ chart }) => {
      if (resetsTimers(chart)) presence.want();
    },
  });
  for (const definition of options.definitions) library.add(definition);

  const toInstance = (id: string, handler: string) => ({
    service: names.instance,
    key: id,
    handler,
  });
  const checkpoints = new Checkpoints(store, realWorld.now);
  const openWork = new OpenWork({
    ask: (instance, letter) => ingress.call<boolean>(toInstance(instance, 'isOpen'), { letter }),
    now: realWorld.now,
  });
  const limits = parseLimits(options.limits ?? {});
  const portsOfAgents = withAgentRules(
    { saveCheckpoint: checkpointPort(store, checkpoints), ...ports },
    realWorld.now,
  );
  const files = options.attachments && new AttachmentFiles(options.attachments.place);
  const caller = new PortCaller({
    openWork,
    ports: portsOfAgents,
    limits,
    bounds,
    reader: store,
    files,
    schedule,
    activity,
    onError,
    onHeartbeat: (instance, token) => {
      const order = { at: realWorld.now(), event: { type: 'task.heartbeat', token } };
      ingress
        .send(toInstance(instance, 'take'), order)
        .catch((error: unknown) =>
          onError(error, `keeping a task of ${JSON.stringify(instance)} alive`),
        );
    },
  });
  const deliverer = new Deliverer({
    openWork,
    channels,
    store,
    bounds,
    random: realWorld.random,
    schedule,
    activity,
    onError,
  });
  const inboxLimits = parseInboxLimits(options.inbox);
  const line = new ContactSender({
    ingress,
    names,
    inboxLimits,
    now: realWorld.now,
    lineStartOf: async ({ options: { id = realWorld.uuid(), channel = null, ...rest }, load }) =>
      lineStartOf(library, await load(), { ...rest, id, channel }),
    requireRunning: () => {
      if (isStopping()) throw hostStopped();
    },
  });
  const sender = new InstanceSender({ ingress, names, inboxLimits, now: realWorld.now });
  const feed = new EventFeed({
    hasSubscribers: () => followers.hasSubscribers,
    publish: (written) => followers.publish(written),
    storedLines: (instance) =>
      unlessErased(ingress.call<number>(toInstance(instance, 'lineCount'), null)),
  });
  const engine: Engine = {
    names,
    library,
    world,
    surroundings: servicesOf(options, library, inboxLimits),
    work: {
      call: (instance, order, withdrawn) => caller.call(instance, order, withdrawn),
      deliver: (instance, order, withdrawn) => deliverer.deliver(instance, order, withdrawn),
    },
    requireContact: (birth) => requireStartContact(birth, options.channels ?? {}),
    publish: (written) => feed.publish(written),
    absence: () => presence.absence,
    onError,
  };
  const erasing = composeErasing({
    ports,
    retention: options.retention,
    ingress,
    admin,
    names,
    store,
    files,
    toInstance,
    onError,
  });
  /** Finds the instances with messages that were kept because no process had their channel. */
  const withKept = async () => {
    const service = quoted(names.instance);
    const sql = `SELECT service_key AS id FROM state WHERE service_name = ${service} AND key = ${quoted(keptKey)}`;
    return (await admin.query<{ readonly id: string }>(sql)).map(({ id }) => id);
  };
  const redeliver = async (instances: readonly string[]) => {
    for (const id of instances) await ingress.send(toInstance(id, 'redeliver'), null);
  };
  const drafting: DraftParts = {
    library,
    surroundings: {
      ...engine.surroundings,
      world,
      readTranscript: (id, range) => store.transcript(id, range),
    },
    ports: portsOfAgents,
    limits,
    waits: schedule,
  };
  return {
    uuid: realWorld.uuid,
    drafting,
    withKept,
    redeliver,
    presence,
    names,
    ...erasing,
    /** @param reader reads the instances that are copied */
    forkingOf: (reader: InstanceReader) =>
      new Forking({
        reader,
        behaviours,
        checkpoints,
        library,
        creator: new CopyCreator(store, engine),
        surroundings: { ...engine.surroundings, world },
        uuid: realWorld.uuid,
        channels: options.channels,
      }),
    ingress,
    admin,
    schedule,
    activity,
    errors,
    library,
    store,
    line,
    sender,
    followers,
    feed,
    bounds,
    caller,
    deliverer,
    services: [
      instanceObject(engine),
      contactObject(names, erasing.contactEraser),
      recordObject(names.record),
    ],
    toInstance,
  };
}

export function requireRestate(url: unknown, name: string): void {
  if (typeof url === 'string' && URL.canParse(url)) return;
  throw badRequest(`"${name}" is the URL of a Restate server.`);
}

/** The default port for checkpoints: saves the stored run. */
function checkpointPort(store: RestateStore, checkpoints: Checkpoints): Port<'saveCheckpoint'> {
  return (input, { signal, instance = '' }) =>
    untilReached(async () => {
      const record = await store.read(instance);
      if (!record?.definition || signal.aborted) return { kept: false };
      await checkpoints.save(instance, input, record.definition, stateOf(record));
      return { kept: true };
    }, signal);
}

/** Stores the definitions that an instance needs, and returns the parameters of its start. */
export async function lineStartOf(
  library: Library,
  { definition, needs }: DefinitionsToStart,
  order: BirthOrder,
): Promise<LineStart> {
  const birth = birthOf(order, definition);
  for (const each of [definition, ...needs]) await library.keep(each);
  return { at: realWorld.now(), definition: definition.ref, birth };
}

/**
 * Stores a copy that is made by repeating steps, page by page, in the object of the copy. The copy begins to run after its last
 * page.
 */
class CopyCreator implements ForkCreator<{ readonly state: string }> {
  readonly #store: RestateStore;
  readonly #engine: Engine;

  constructor(store: RestateStore, engine: Engine) {
    this.#store = store;
    this.#engine = engine;
  }

  async createFork(
    id: string,
    definition: DefinitionVersion,
    forked: HostEvent,
    repeat: (record: ForkRecord) => Promise<InstanceHistory>,
  ): Promise<{ readonly state: string }> {
    const { surroundings, onError } = this.#engine;
    const record = new ForkRecord(this.#store, { id, definition, createdAt: forked.at });
    try {
      const copy = await repeat(record);
      const start = startOfCopy(copy, surroundings.isWaitedFor);
      await record.complete(start, journalLine(forked));
      return { state: start.status };
    } catch (error) {
      await record
        .discard()
        .catch((failure: unknown) =>
          onError(failure, `deleting the incomplete fork ${JSON.stringify(id)}`),
        );
      if (error instanceof StoreError && error.code === 'store/exists')
        throw new HostError('host/exists', `There is an instance ${JSON.stringify(id)} already.`);
      throw error;
    }
  }
}

interface ErasingOptions {
  readonly ports: NonNullable<HostOptions['ports']>;
  readonly retention: HostOptions['retention'];
  readonly ingress: Ingress;
  readonly admin: Admin;
  readonly names: ServiceNames;
  readonly store: RestateStore;
  readonly files: AttachmentFiles | undefined;
  readonly toInstance: (id: string, handler: string) => Target;
  readonly onError: OnError;
}

/**
 * Composes the parts that erase. The object of a contact runs its erasure, so that no message or start of the contact is handled
 * before the end. If the process dies before that, another repeats the erasure.
 */
function composeErasing(options: ErasingOptions) {
  const { ports, retention: policy, ingress, names, store, files, toInstance, onError } = options;
  const now = () => Date.now();
  const eraser = new Eraser({
    store,
    live: {
      exclusive: (_, work) => work(),
      cancel: (id, reason) => {
        const order: EventOrder = { at: now(), event: { type: 'cancel', reason, internal: true } };
        return ingress.call(toInstance(id, 'take'), order);
      },
      withdraw: (id) => killWork(id, options),
      whenCreated: async () => {},
      onErased: () => {},
      whenForgotten: async () => {},
    },
    ports,
    files,
    onError,
  });
  if (policy) eraser.requireForget();
  const contactEraser: ContactEraser = {
    erase: (contact, running) => eraser.contact(contact, running),
    link: (contact, { original, copy, createdAt }) =>
      linkCopy(store, { contact, original, copy, createdAt }),
  };
  return {
    eraser,
    contactEraser,
    copies: new Copies({
      store,
      eraser,
      link: ({ contact, original, copy }) => {
        const link: CopyLink = { original, copy, createdAt: now() };
        return ingress.call({ service: names.contact, key: contact, handler: 'link' }, link);
      },
    }),
    retention: policy && new Retention({ policy, store, eraser, clock: realClock(), onError }),
  };
}

/** Ends the calls, deliveries and alarms of an instance. Restate keeps their contents until they end. */
async function killWork(id: string, { admin, names }: ErasingOptions): Promise<void> {
  const handlers = ['call', 'deliver', 'wake', 'discardCopy'].map(quoted).join(', ');
  const rows = await admin.query<{ readonly id: string }>(
    `select id from sys_invocation where target_service_name = ${quoted(names.instance)} and target_service_key = ${quoted(id)} and target_handler_name in (${handlers}) and status <> 'completed'`,
  );
  for (const { id: invocation } of rows) await admin.kill(invocation);
}

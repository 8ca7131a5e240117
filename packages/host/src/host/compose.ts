import { AttachmentFiles } from '../attachments/attachment-files.ts';
import type { Behaviours } from '../definitions/behaviours.ts';
import { Activity } from '../admission/activity.ts';
import { Schedule } from '../admission/schedule.ts';
import { realClock } from '../clock/real.ts';
import { Library, type LoadedDefinition } from '../definitions/library.ts';
import { isUnknownInstance } from '../errors.ts';
import { type HostEvent, priorInstanceTerminal } from '../instance/event.ts';
import type { LiveInstance } from '../instance/live-instance.ts';
import type { StoredSteps } from '../instance/step-result.ts';
import { stepWorldOf } from '../instance/step-world.ts';
import { servicesOf, type Surroundings } from '../instance/surroundings.ts';
import { parseInboxLimits, parseLimits } from '../limits/index.ts';
import { Copies } from '../erasure/copies.ts';
import { linkCopy } from '../erasure/copy-links.ts';
import { Eraser } from '../erasure/eraser.ts';
import { Retention } from '../erasure/retention.ts';
import { ActiveInstances } from './active-instances.ts';
import { afterCommit } from './after-commit.ts';
import { boundsOf } from './bounds.ts';
import { ByHand } from './by-hand.ts';
import { callLanesOf } from './call-lanes.ts';
import { channelLanesOf } from './channel-lane.ts';
import { Checkpoints } from './checkpoints.ts';
import { ContactQueues } from './contact-queues.ts';
import type { DraftParts } from './draft.ts';
import { EarlierMessages } from './earlier-messages.ts';
import { ErrorReporter } from './error-reporter.ts';
import { fireTimer } from './fire-timer.ts';
import { Forking } from './forking.ts';
import { InstanceCreator } from './instance-creator.ts';
import { InstanceFamily } from './instance-family.ts';
import type { InstanceReader } from './instance-reader.ts';
import { InstanceStarter } from './instance-starter.ts';
import { LastAlive, resetsTimers } from './last-alive.ts';
import { LoopMonitor } from './loop-monitor.ts';
import { MessageGroups } from './message-groups.ts';
import { MessageRouter } from './message-router.ts';
import type { HostStore } from './host-store.ts';
import type { HostOptions } from './options.ts';
import { originOf } from './origin.ts';
import { Quarantine } from './quarantine.ts';
import { queuePositionOf } from './queue-position.ts';
import { Recovery } from './recovery.ts';
import { reportAttempts } from './report-attempts.ts';
import { isPermanent, Reviver } from './reviver.ts';
import type { RunnerServices } from './runner-services.ts';
import { Subscriptions } from './subscriptions.ts';
import { Timekeeper } from './timekeeper.ts';
import { withAgentRules } from './with-agent-rules.ts';

/** The parts that a host calls itself. Each part gets only what it uses. */
export interface HostParts {
  readonly library: Library;
  readonly behaviours: Behaviours;
  readonly activeInstances: ActiveInstances;
  readonly contactQueues: ContactQueues;
  readonly messages: MessageGroups;
  readonly starter: InstanceStarter;
  readonly forking: Forking<Awaited<ReturnType<InstanceCreator['createFork']>>>;
  readonly eraser: Eraser;
  readonly copies: Copies;
  readonly retention: Retention | undefined;
  readonly byHand: ByHand;
  readonly subscriptions: Subscriptions;
  readonly timekeeper: Timekeeper;
  readonly reviver: Reviver;
  readonly recovery: Recovery;
  readonly lastAlive: LastAlive;
  readonly quarantine: Quarantine;
  readonly schedule: Schedule;
  readonly activity: Activity;
  readonly errors: ErrorReporter;
  readonly hostStore: HostStore;
  readonly uuid: () => string;
  readonly publish: RunnerServices['publish'];
  readonly drafting: DraftParts;
}

export interface HostContext {
  readonly hostStore: HostStore;
  readonly options: HostOptions;
  /** How long the process has used a processor, in milliseconds. */
  readonly cpuTime: () => number;
  readonly reader: InstanceReader;
  readonly isStopping: () => boolean;
  /** @throws HostError `host/stopped` */
  readonly requireRunning: () => void;
}

/** The delay before a failed call-up is repeated, in milliseconds. */
const callUpRetryMs = 1_000;

/** Builds the parts of a host, and wires them. */
export function composeHost(context: HostContext): HostParts {
  const { hostStore, options, cpuTime, reader, isStopping, requireRunning } = context;
  const { store } = hostStore;
  const { clock = realClock(), behaviours, maxActive = 256, maxItems = 100_000 } = options;
  const { now, random, uuid } = clock.world;
  const files = options.attachments && new AttachmentFiles(options.attachments.place);
  const bounds = boundsOf(options);
  const schedule = new Schedule(clock);
  const activity = new Activity();
  const errors = new ErrorReporter({ onError: options.onError, schedule, isStopping });
  const onError = errors.report;
  const subscriptions = new Subscriptions(store, now);
  hostStore.listen({
    onStored: (write, stored) =>
      subscriptions.noteStored(write, stored, originOf(write, activeInstances.peek(write.id))),
    onError,
  });
  const world = stepWorldOf(clock.world);
  const channels = new Map(Object.entries(options.channels ?? {}));
  const inboxLimits = parseInboxLimits(options.inbox);

  const lastAlive = new LastAlive(store, schedule, onError);
  const onDefinition = (definition: LoadedDefinition) => {
    reader.learn(definition);
    if (resetsTimers(definition.chart)) lastAlive.want();
  };
  const nextReplies = options.ports?.wantsNextReplies;
  const library = new Library({ store, behaviours, world, nextReplies, onError, onDefinition });
  for (const definition of options.definitions) library.add(definition);
  const surroundings: Surroundings = {
    ...servicesOf(options, library, inboxLimits),
    world,
    readTranscript: (id, range) => store.transcript(id, range),
  };

  const reviver = new Reviver({
    load: (id) => activeInstances.use(id, () => {}),
    random,
    schedule,
    activity,
    onError,
  });
  const onLoadFailed = (id: string, error: unknown) => {
    // It was erased in the meantime.
    if (!isUnknownInstance(error)) reviver.revive(id, error, 'loading');
  };
  const callLaneOf = callLanesOf({
    concurrencyOf: bounds.callConcurrencyOf,
    makeNext: (id, port, begin) =>
      activeInstances.use(id, ({ calls }) => {
        begin();
        return calls.makeNext(port);
      }),
    onFailure: onLoadFailed,
    schedule,
    activity,
  });
  const channelLaneOf = channelLanesOf({
    channels,
    concurrencyOf: bounds.deliveryConcurrencyOf,
    deliveryTimeout: bounds.deliveryTimeout,
    use: (id, work) => activeInstances.use(id, ({ sender }) => work(sender)),
    onFailure: onLoadFailed,
    store,
    random,
    schedule,
    activity,
    onError,
  });
  const checkpoints: Checkpoints = new Checkpoints(store, now, (at) => timekeeper.note(at));
  const timekeeper = new Timekeeper({
    store,
    schedule,
    random,
    activity,
    fire: (timer) => fireTimer(timer, { activeInstances, checkpoints, now }),
    onError,
  });

  const monitor = new LoopMonitor({ now, cpuTime }, onError);
  const quarantine = new Quarantine({ store, schedule, onError });
  const services: RunnerServices = {
    store,
    ports: withAgentRules(options.ports, now),
    limits: parseLimits(options.limits ?? {}),
    inboxLimits,
    callTimeoutOf: bounds.callTimeoutOf,
    files,
    callLaneOf,
    channelLaneOf,
    checkpoints,
    monitor,
    nextTurn: world.nextTurn,
    quarantine,
    carryLetter: (sender, letter) => family.carryLetter(sender, letter),
    schedule,
    activity,
    publish: (id, events) => publish(id, events),
    replyParts: subscriptions.replyParts,
    // After an erasure or the end of the host there is nothing to count.
    stepLater: (id, decide) =>
      void activeInstances.use(id, (runner) => runner.step(decide)).catch(() => {}),
    refusalOfItems: () =>
      activeInstances.items < maxItems
        ? undefined
        : `More than ${maxItems.toLocaleString('en')} items would run at once in all instances of the host. Try again when fewer run, or set a lower concurrency.`,
  };
  const activeInstances: ActiveInstances = new ActiveInstances({
    store,
    library,
    surroundings,
    services,
    maxActive,
    onCommit: ({ instance }, stored) => onCommit(instance, stored),
    onBroken: (id, error) => reviver.revive(id, error, 'carrying'),
  });

  const contactQueues = new ContactQueues({
    store,
    positionOf: (summary) => queuePositionOf(summary, { store, library, activeInstances, onError }),
    callUp: async (id) => {
      await activeInstances.use(id, (runner) =>
        runner.receive({ type: priorInstanceTerminal }, 'host'),
      );
    },
    activeHolder: (contact) => activeInstances.holder(contact),
    onCallUpFailed: (contact, error) => {
      onError(error, `calling up the next instance of ${JSON.stringify(contact)}`);
      if (!isStopping() && !isPermanent(error))
        schedule.after(callUpRetryMs, () => void contactQueues.callUpNext(contact));
    },
  });
  const onCommit = (instance: LiveInstance, stored: StoredSteps) =>
    afterCommit(instance, stored, { timekeeper, contactQueues, activity });
  const earlierMessages = new EarlierMessages(store);

  const byHand = new ByHand({
    activeInstances,
    deliveryTimeout: bounds.deliveryTimeout,
    stateOf: async (id) => (await reader.get(id)).state,
    schedule,
    uuid,
    onError,
  });
  const publish = (id: string, events: readonly HostEvent[]) => {
    byHand.handleEvents(events);
    reportAttempts(id, events, onError);
    subscriptions.publish(id, events, activeInstances.peek(id)?.instance);
  };

  const creator = new InstanceCreator({
    store,
    library,
    activeInstances,
    surroundings,
    monitor,
    onError,
  });
  const starter = new InstanceStarter({
    earlierMessages,
    channels: options.channels ?? {},
    contactQueues,
    creator,
    uuid,
    onStarted: ({ instance }, stored) => {
      publish(instance.id, stored.events);
      onCommit(instance, stored);
    },
  });
  const router = new MessageRouter({
    earlierMessages,
    activeInstances,
    contactQueues,
    startIn: (queue, start) => starter.startIn(queue, start),
    requireRunning,
  });
  const messages = new MessageGroups({
    inboxLimits,
    serial: contactQueues.serial,
    routeAll: (contact, waiting) => router.routeAll(contact, waiting),
  });
  const family = new InstanceFamily({
    store,
    latestDefinition: (name) => library.latest(name),
    onError,
    start: (definition, order) => starter.start(async () => ({ definition, needs: [] }), order),
    cancel: (id, reason) =>
      activeInstances.use(id, (runner) =>
        runner.receive({ type: 'cancel', reason, internal: true }, 'host'),
      ),
    settleCall: (id, call, ending) =>
      activeInstances.use(id, (runner) =>
        runner.step((instance) => instance.decideCall(call, ending), 'answer'),
      ),
  });
  const forking = new Forking({
    reader,
    behaviours,
    checkpoints,
    library,
    creator,
    surroundings,
    uuid,
    channels: options.channels,
  });

  const eraser = new Eraser({
    store,
    live: {
      exclusive: (contact, work) => contactQueues.exclusive(contact, work),
      cancel: (id, reason) =>
        activeInstances.use(id, (runner) =>
          runner.receive({ type: 'cancel', reason, internal: true }, 'host'),
        ),
      withdraw: (id, end) => activeInstances.withdraw(id, end),
      whenCreated: () => activeInstances.whenCreated(),
      onErased: (id) => {
        subscriptions.erased(id);
        quarantine.erased(id);
      },
      whenForgotten: () => quarantine.renew(),
    },
    ports: options.ports ?? {},
    files,
    onError,
  });
  const copies = new Copies({
    store,
    eraser,
    link: ({ contact, original, copy }) =>
      contactQueues.exclusive(contact, () =>
        linkCopy(store, { copy, contact, original, createdAt: now() }),
      ),
  });
  const { retention: policy } = options;
  if (policy) eraser.requireForget();
  const retention = policy && new Retention({ policy, store, eraser, clock, onError });
  const recovery = new Recovery({
    store,
    library,
    activeInstances,
    callLaneOf,
    channelLaneOf,
    contactQueues,
    timekeeper,
    lastAlive,
    reviver,
    quarantine,
    schedule,
    random,
    onError,
  });

  return {
    library,
    behaviours,
    eraser,
    copies,
    retention,
    activeInstances,
    contactQueues,
    messages,
    starter,
    forking,
    byHand,
    subscriptions,
    timekeeper,
    reviver,
    recovery,
    lastAlive,
    quarantine,
    schedule,
    activity,
    errors,
    hostStore,
    uuid,
    publish,
    drafting: {
      library,
      surroundings,
      ports: services.ports,
      limits: services.limits,
      waits: schedule,
    },
  };
}

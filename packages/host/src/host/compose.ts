import type { Chart } from '@dramaturg/compiler';
import type { Channel } from '../channel/channel.ts';
import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real.ts';
import { Library } from '../definitions/library.ts';
import { type HostEvent, priorInstanceTerminal } from '../instance/event.ts';
import { StepWorld } from '../instance/step-world.ts';
import type { Surroundings } from '../instance/surroundings.ts';
import { parseLimits } from '../limits/index.ts';
import type { DueTimer, RecordSummary, Store } from '../store/contract.ts';
import { ActiveInstances } from './active-instances.ts';
import { ByHand } from './by-hand.ts';
import { checkpointPrefix, Checkpoints } from './checkpoints.ts';
import { CommitListener } from './commit-listener.ts';
import { ContactQueues } from './contact-queues.ts';
import { Deliveries } from './deliveries.ts';
import { errorReporter, type OnError } from './error-reporter.ts';
import { EventStreams } from './event-streams.ts';
import { Forking } from './forking.ts';
import { InstanceCreator } from './instance-creator.ts';
import { InstanceFamily } from './instance-family.ts';
import type { InstanceReader } from './instance-reader.ts';
import { InstanceStarter } from './instance-starter.ts';
import { LastAlive, resetsTimers } from './last-alive.ts';
import { MessageRouter } from './message-router.ts';
import type { HostOptions } from './options.ts';
import { predecessorOf } from './predecessor.ts';
import { queuePositionOf } from './queue-position.ts';
import { Reviver } from './reviver.ts';
import type { RunnerServices } from './runner-services.ts';
import { Timekeeper } from './timekeeper.ts';

/** The parts that a host calls itself. Each part gets only what it uses. */
export interface HostParts {
  readonly library: Library;
  readonly activeInstances: ActiveInstances;
  readonly contactQueues: ContactQueues;
  readonly router: MessageRouter;
  readonly starter: InstanceStarter;
  readonly creator: InstanceCreator;
  readonly forking: Forking;
  readonly byHand: ByHand;
  readonly streams: EventStreams;
  readonly timekeeper: Timekeeper;
  readonly commits: CommitListener;
  readonly deliveries: Deliveries;
  readonly reviver: Reviver;
  readonly lastAlive: LastAlive;
  readonly publish: (events: readonly HostEvent[]) => void;
  readonly onError: OnError;
}

export interface HostContext {
  readonly store: Store;
  readonly options: HostOptions;
  readonly reader: InstanceReader;
  readonly isStopping: () => boolean;
  /** @throws HostError `host/stopped` */
  readonly requireRunning: () => void;
}

/** Builds the parts of a host, and wires them. */
export function composeHost(context: HostContext): HostParts {
  const { store, options, reader, isStopping, requireRunning } = context;
  const { clock = realClock(), behaviours, maxActive = 256, deliveryTimeout = 30_000 } = options;
  const { now } = clock.world;
  const onError = errorReporter(options.onError, isStopping);
  const world = new StepWorld(clock.world);
  const channels = new Map(Object.entries(options.channels ?? {}));
  const streams = new EventStreams();

  const lastAlive = new LastAlive(store, now, onError);
  const onChart = (chart: Chart) => {
    if (resetsTimers(chart)) lastAlive.want();
  };
  const library = new Library({ store, behaviours, world, onError, onChart });
  for (const definition of options.definitions) library.add(definition);
  const surroundings = surroundingsOf(options, world, library, channels);

  const reviver = new Reviver(clock, onError);
  const deliveries = new Deliveries({ channels, clock, deliveryTimeout, onError });
  const checkpoints: Checkpoints = new Checkpoints(store, now, (at) => timekeeper.note(at));
  const timekeeper = new Timekeeper({
    store,
    clock,
    fire: (timer) => fire(timer, { activeInstances, checkpoints, clock }),
    onError,
  });

  const services: RunnerServices = {
    store,
    ports: options.ports ?? {},
    limits: parseLimits(options.limits ?? {}),
    deliveries,
    checkpoints,
    carryLetter: (sender, letter) => family.carryLetter(sender, letter),
    now,
    publish: (events) => publish(events),
    onText: options.onText ?? (() => {}),
  };
  const activeInstances: ActiveInstances = new ActiveInstances({
    store,
    library,
    surroundings,
    services,
    maxActive,
    onCommit: ({ instance }, result) => commits.onCommit(instance, result),
    onBroken: (id, error) => reviver.revive(id, error, activeInstances),
  });

  const contactQueues = new ContactQueues({
    store,
    positionOf: (summary) =>
      positionOrReport(summary, { store, library, activeInstances }, onError),
    callUp: async (id, contact) => {
      const { seen = [] } = (await predecessorOf(contact, store)) ?? {};
      const event = { type: priorInstanceTerminal, ...(seen.length > 0 ? { seen } : {}) };
      await activeInstances.use(id, (runner) => runner.enqueue(event));
    },
    activeHolder: (contact) => activeInstances.holder(contact),
  });
  const commits = new CommitListener({ timekeeper, contactQueues, onError });
  const router = new MessageRouter({ store, activeInstances, contactQueues, requireRunning });

  const byHand = new ByHand({
    activeInstances,
    deliveryTimeout,
    stateOf: async (id) => (await reader.get(id)).state,
    onError,
  });
  const publish = (events: readonly HostEvent[]) => {
    byHand.handleEvents(events);
    streams.publish(events);
  };

  const creator = new InstanceCreator({ store, library, activeInstances, surroundings });
  const starter = new InstanceStarter({
    store,
    channels: options.channels ?? {},
    contactQueues,
    creator,
    onStarted: ({ instance }, result) => {
      publish(result.events);
      commits.onCommit(instance, result);
    },
  });
  const family = new InstanceFamily({
    store,
    latestDefinition: (name) => library.latest(name),
    start: (definition, { contact, ...order }) =>
      starter.start(async () => ({ definition, needs: [] }), {
        ...order,
        ...(contact === null ? {} : { contact }),
      }),
    cancel: (id, reason) =>
      activeInstances.use(id, (runner) => runner.enqueue({ type: 'cancel', reason })),
    settleCall: (id, call, ending) =>
      activeInstances.use(id, (runner) =>
        runner.step((instance) => instance.decideCall(call, ending)),
      ),
  });
  const forking = new Forking({ reader, behaviours, checkpoints, library, surroundings });

  return {
    library,
    activeInstances,
    contactQueues,
    router,
    starter,
    creator,
    forking,
    byHand,
    streams,
    timekeeper,
    commits,
    deliveries,
    reviver,
    lastAlive,
    publish,
    onError,
  };
}

function surroundingsOf(
  { ports = {}, definitionOf }: HostOptions,
  world: StepWorld,
  library: Library,
  channels: ReadonlyMap<string, Channel>,
): Surroundings {
  return {
    world,
    isWaitedFor: (port) =>
      port === 'timer' || (port === 'requestDecision' && !ports.requestDecision),
    definitionOf: (agent) => {
      const name = definitionOf?.(agent);
      return name !== undefined && library.has(name) ? name : undefined;
    },
    hasChannel: (name) => channels.has(name),
  };
}

async function fire(
  { id, key }: DueTimer,
  {
    activeInstances,
    checkpoints,
    clock,
  }: { activeInstances: ActiveInstances; checkpoints: Checkpoints; clock: Clock },
): Promise<void> {
  if (id.startsWith(checkpointPrefix)) return checkpoints.forget(id);
  const output = { firedAt: clock.world.now() };
  await activeInstances.use(id, (runner) =>
    runner.step((instance) => instance.decideCall(key, { output })),
  );
}

async function positionOrReport(
  summary: RecordSummary,
  parts: Parameters<typeof queuePositionOf>[1],
  onError: OnError,
): ReturnType<ConstructorParameters<typeof ContactQueues>[0]['positionOf']> {
  try {
    return await queuePositionOf(summary, parts);
  } catch (error) {
    onError(error, `reading the instance ${JSON.stringify(summary.id)}`);
    return undefined;
  }
}

import {
  type Chart,
  type EventObject,
  type Json,
  listen,
  type PortName,
  portSchemas,
} from '@dramaturg/compiler';
import { failedTag, waitingTag } from '@dramaturg/compiler/chart';
import {
  type AgentRole,
  agentRoleOf,
  atOnce,
  type Behaviour,
  type ContextMigration,
  goOnEvent,
  isCut,
  itemLoadOf,
  linking,
  machinesOfItems,
  type Pause,
  PauseQueue,
  runsItems,
  type Sliced,
  type World,
} from '@dramaturg/compiler/machine';
import {
  type AnyActor,
  type AnyActorRef,
  type AnyStateMachine,
  createActor,
  type InspectionEvent,
} from 'xstate';
import { type CallChanges, CallLogic, type OpenCall, OpenCalls } from './open-call.ts';

/** Receives the events that an actor emits, when it emits them. */
export type OnEvent = (event: EventObject) => void;

/** A linked machine whose ports record calls instead of making them. All actors of a definition share it. */
export interface DurableMachine {
  readonly machine: AnyStateMachine;
  /** Whether the machine runs items. */
  readonly runsItems: boolean;
  /** Whether the machine accepts messages of a person: it is a conversation. */
  readonly converses: boolean;
  /** The types of the events that its states and transitions name, without `*`. */
  readonly events: ReadonlySet<string>;
  /** How the definition runs as an agent of another one. */
  readonly agent?: AgentRole;
  /** The events with which it reports that a migration has changed its data. */
  readonly reported?: ContextMigration['reported'];
  readonly inspect?: Inspect;
}

/** Observes the steps of actors. */
export type Inspect = (happening: InspectionEvent) => void;

export interface DurableOptions {
  readonly world: World;
  /** Receives each microstep, so the machine has no fast path. */
  readonly inspect?: Inspect | undefined;
  /** Whether the ports need the next reply: see `PortWishes`. */
  readonly nextReplies?: boolean | undefined;
  /** Whether the machine runs a flow, whose long steps are cut. */
  readonly isFlow?: boolean | undefined;
}

/** A few milliseconds. */
const microstepsPerPart = 1_000;

/** Records each call instead of making it. */
const recordedCalls = Object.fromEntries(
  (Object.keys(portSchemas) as PortName[]).map((name) => [name, new CallLogic(name, callsOf)]),
);

/**
 * Links a chart.
 *
 * @throws LinkError, ChartError when the chart names code that its format does not have
 */
export function durable(
  chart: Chart,
  behaviour: Behaviour,
  options: DurableOptions,
): DurableMachine {
  return atOnce(durably(chart, behaviour, options));
}

/** As `durable`. */
export function* durably(
  chart: Chart,
  behaviour: Behaviour,
  { world, inspect, nextReplies = false, isFlow }: DurableOptions,
): Sliced<DurableMachine> {
  const options = { world, fuse: !inspect, actors: recordedCalls, pause, nextReplies };
  const parts = isFlow ? { microstepsPerPart } : {};
  const machine = yield* linking(chart, behaviour, { ...options, ...parts });
  const agent = agentRoleOf(machine);
  const events = eventsOf(machine);
  return {
    machine,
    runsItems: runsItems(machine),
    converses: events.has('message.received'),
    events,
    ...(agent ? { agent } : {}),
    ...(behaviour.migration?.reported ? { reported: behaviour.migration.reported } : {}),
    ...(inspect ? { inspect } : {}),
  };
}

/** The types of events that a machine names, and the machines that it runs for items. */
function eventsOf(machine: AnyStateMachine): Set<string> {
  const all = [machine, ...machinesOfItems(machine)].flatMap(({ events }) => events as string[]);
  return new Set(all.filter((type) => !type.endsWith('*')));
}

/** The supervisors of items that pause, by their actor system. */
const pausesBySystem = new WeakMap<object, PauseQueue>();

const pause: Pause = (supervisor, goOn) => pausesOf(supervisor).add(supervisor, goOn);

function pausesOf({ system }: { readonly system: object }): PauseQueue {
  const known = pausesBySystem.get(system);
  if (known) return known;
  const pauses = new PauseQueue();
  pausesBySystem.set(system, pauses);
  return pauses;
}

/** The open calls of each actor system: XState's actor logic cannot hold data of its own. */
const callsBySystem = new WeakMap<object, OpenCalls>();

function callsOf(self: AnyActorRef): OpenCalls {
  const { system } = self;
  const known = callsBySystem.get(system);
  if (known) return known;
  const calls = new OpenCalls();
  callsBySystem.set(system, calls);
  return calls;
}

/**
 * A running machine whose steps are function calls: when the call returns, all effects of the event or the answer are decided,
 * and none is carried out. This file has everything that durable actors need from XState's actors.
 */
export class MachineActor {
  readonly #actor: AnyActor;

  private constructor(
    { machine, runsItems: items, inspect }: DurableMachine,
    onEvent: OnEvent,
    options: object,
  ) {
    // Items are actors that emit their own events, so all actors of the system have to be observed.
    const listening = combined(items ? listen(onEvent).inspect : undefined, inspect);
    this.#actor = createActor(machine, { ...options, ...listening });
    if (!items) this.#actor.on('*', onEvent);
    // Errors are read from the status. Without a listener XState would also throw them as unhandled.
    this.#actor.subscribe({ error: () => {} });
  }

  /**
   * Checks whether a machine accepts an input. None of its states is entered.
   *
   * @throws the error of the first context, such as an `InputError`
   */
  static check({ machine }: DurableMachine, input: unknown): void {
    // A linked machine makes its first context from its input alone.
    (machine.config.context as (start: object) => object)({ input });
  }

  /**
   * Finds out why a new machine with an input would refuse a message. No call is made. A long step waits for `nextTurn` between its
   * parts.
   *
   * @returns undefined when the machine accepts the message
   */
  static async refusalOf(
    machine: DurableMachine,
    input: unknown,
    message: EventObject,
    nextTurn: () => Promise<void>,
  ): Promise<string | undefined> {
    const { inspect: _inspect, ...unseen } = machine;
    let because: string | undefined;
    const onEvent = (event: EventObject) => {
      if (event.type === 'message.refused') because = String(event['because']);
    };
    const tried = MachineActor.begin(unseen, input, onEvent);
    const endStep = async () => {
      for (; tried.isCut; tried.goOnStep()) await nextTurn();
    };
    await endStep();
    tried.dispatch(message);
    await endStep();
    tried.#actor.stop();
    return because;
  }

  /** @throws as `check` */
  static begin(machine: DurableMachine, input: unknown, onEvent: OnEvent): MachineActor {
    const begun = new MachineActor(machine, onEvent, { input });
    const { status, error } = begun.#actor.getSnapshot();
    if (status === 'error') throw error;
    begun.#actor.start();
    return begun;
  }

  static restore(machine: DurableMachine, snapshot: Json, onEvent: OnEvent): MachineActor {
    const restored = new MachineActor(machine, onEvent, { snapshot });
    restored.#actor.start();
    // These calls were made before.
    restored.takeCallChanges();
    return restored;
  }

  /** Feeds an event to the machine. When it returns, all effects are decided and emitted. */
  dispatch(event: EventObject): void {
    this.#actor.send(event);
  }

  /** The open calls. */
  get calls(): ReadonlyMap<string, OpenCall> {
    return callsOf(this.#actor).byKey;
  }

  /** Returns the changes in the calls since the last call. */
  takeCallChanges(): CallChanges {
    return callsOf(this.#actor).takeChanges();
  }

  get status(): 'active' | 'done' | 'error' {
    const { status } = this.#actor.getSnapshot();
    return status === 'done' || status === 'error' ? status : 'active';
  }

  /** The output; before the end, the output so far. */
  get output(): unknown {
    const { status, output, context } = this.#actor.getSnapshot();
    if (status === 'done') return output;
    const { output: outputNow } = (this.#actor.logic as AnyStateMachine).config;
    return typeof outputNow === 'function' ? outputNow({ context }) : outputNow;
  }

  get error(): unknown {
    return this.#actor.getSnapshot().error;
  }

  get context(): Readonly<Record<string, unknown>> {
    return this.#actor.getSnapshot().context;
  }

  /** Whether the machine waits for input from outside. */
  get isWaiting(): boolean {
    return this.#actor.getSnapshot().hasTag(waitingTag);
  }

  /** Whether the last turn failed. On `turn.retry` the machine repeats the failed call. */
  get isFailed(): boolean {
    return this.#actor.getSnapshot().hasTag(failedTag);
  }

  /** The snapshot to store. */
  snapshot(): Json {
    return this.#actor.getPersistedSnapshot() as unknown as Json;
  }

  /** Whether supervisors of items pause before they start more. */
  get pauses(): boolean {
    return !pausesOf(this.#actor).isEmpty;
  }

  /** Whether the last step was cut, because it is long. It is not over before `goOnStep` has ended it. */
  get isCut(): boolean {
    return isCut(this.#actor.logic as AnyStateMachine, this.#actor.getSnapshot());
  }

  /** Takes the next part of a step that was cut. */
  goOnStep(): void {
    this.#actor.send(goOnEvent);
  }

  /** Begins a step, which may create as many items as any other step. */
  beginStep(): void {
    itemLoadOf(this.#actor).created = 0;
  }

  /** How many items of its lists run. */
  get items(): number {
    return itemLoadOf(this.#actor).running;
  }

  /**
   * Ends some of the current pauses of supervisors.
   *
   * @param refusal why no more items may run
   */
  goOn(refusal?: string): void {
    const load = itemLoadOf(this.#actor);
    load.refusal = refusal;
    pausesOf(this.#actor).goOn(load);
    load.refusal = undefined;
  }
}

/** Combines two observers, because XState accepts only one. */
function combined(
  first: Inspect | undefined,
  second: Inspect | undefined,
): { readonly inspect?: Inspect } {
  if (!first || !second) {
    const inspect = first ?? second;
    return inspect ? { inspect } : {};
  }
  return {
    inspect: (happening) => {
      first(happening);
      second(happening);
    },
  };
}

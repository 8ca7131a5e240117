import {
  type EventObject,
  type Json,
  listen,
  type PortName,
  portSchemas,
  provideActors,
  runsItems,
} from '@dramaturg/compiler';
import {
  type AnyActor,
  type AnyActorRef,
  type AnyStateMachine,
  createActor,
  type InspectionEvent,
} from 'xstate';
import { nextTurn } from '../next-turn.ts';
import { CallLogic, type OpenCall, type OpenCalls } from './open-call.ts';

/** Hears what an actor emits, as it emits it. */
export type Hear = (event: EventObject) => void;

/** A machine made ready to run durably: one for all the actors of a definition. */
export interface DurableMachine {
  readonly machine: AnyStateMachine;
  /** After an event it goes on by itself for a few microtasks. */
  readonly runsItems: boolean;
  /** What it waits for includes messages of a person: it holds a conversation. */
  readonly converses: boolean;
  /** The names of the events that its states and transitions name; `*` is none. */
  readonly events: ReadonlySet<string>;
  readonly inspect?: Inspect;
}

/** Looks on while actors take their steps. */
export type Inspect = (happening: InspectionEvent) => void;

export function durable(machine: AnyStateMachine, inspect?: Inspect): DurableMachine {
  const ports = Object.keys(portSchemas) as PortName[];
  const events = new Set<string>(machine.events as string[]);
  events.delete('*');
  return {
    machine: provideActors(
      machine,
      Object.fromEntries(ports.map((name) => [name, new CallLogic(name, callsOf)])),
    ),
    runsItems: runsItems(machine),
    converses: events.has('message.received'),
    events,
    ...(inspect ? { inspect } : {}),
  };
}

/** Calls find the list of their system here: XState gives actor logic nothing of its own to hold. */
const callsBySystem = new WeakMap<object, OpenCalls>();

function callsOf(self: AnyActorRef): OpenCalls {
  const { system } = self;
  const known = callsBySystem.get(system);
  if (known) return known;
  const calls: OpenCalls = new Map();
  callsBySystem.set(system, calls);
  return calls;
}

/**
 * A running machine of which every step is a function call: an event or an answer goes in, and when that returns all that
 * follows from it has been decided and nothing of it has been done. What of XState a durable actor depends on is here.
 */
export class MachineActor {
  readonly #actor: AnyActor;
  readonly #runsItems: boolean;

  private constructor(
    { machine, runsItems: items, inspect }: DurableMachine,
    hear: Hear,
    options: object,
  ) {
    this.#runsItems = items;
    // The actors of items emit on themselves, so whoever listens has to hear all of a system.
    const listening = watched(items ? listen(hear).inspect : undefined, inspect);
    this.#actor = createActor(machine, { ...options, ...listening });
    if (!items) this.#actor.on('*', hear);
    // A machine that breaks says so by its status; XState would throw its error into the air as well.
    this.#actor.subscribe({ error: () => {} });
  }

  /**
   * Whether a machine can begin with an input. Nothing is begun.
   *
   * @throws what the first context throws, such as an `InputError`
   */
  static check(machine: DurableMachine, input: unknown): void {
    const { inspect: _inspect, ...unseen } = machine;
    const { status, error } = new MachineActor(unseen, () => {}, { input }).#actor.getSnapshot();
    if (status === 'error') throw error;
  }

  /**
   * Why a machine that begins with an input would refuse a message. Nothing is begun, and no call is made.
   *
   * @returns undefined when it takes the message
   */
  static refusalOf(
    machine: DurableMachine,
    input: unknown,
    message: EventObject,
  ): string | undefined {
    const { inspect: _inspect, ...unseen } = machine;
    let because: string | undefined;
    const hear = (event: EventObject) => {
      if (event.type === 'message.refused') because = String(event['because']);
    };
    const tried = MachineActor.begin(unseen, input, hear);
    tried.send(message);
    tried.#actor.stop();
    return because;
  }

  /** @throws as `check` */
  static begin(machine: DurableMachine, input: unknown, hear: Hear): MachineActor {
    const begun = new MachineActor(machine, hear, { input });
    const { status, error } = begun.#actor.getSnapshot();
    if (status === 'error') throw error;
    begun.#actor.start();
    return begun;
  }

  static restore(machine: DurableMachine, snapshot: Json, hear: Hear): MachineActor {
    const restored = new MachineActor(machine, hear, { snapshot });
    restored.#actor.start();
    return restored;
  }

  send(event: EventObject): void {
    this.#actor.send(event);
  }

  /** Calls that wait for their answer. */
  get calls(): ReadonlyMap<string, OpenCall> {
    return callsOf(this.#actor);
  }

  get status(): 'active' | 'done' | 'error' {
    const { status } = this.#actor.getSnapshot();
    return status === 'done' || status === 'error' ? status : 'active';
  }

  /** What it leaves behind; before its end what it would leave behind now. */
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

  /** It is somebody else's move. */
  get isWaiting(): boolean {
    return this.#actor.getSnapshot().hasTag('waiting');
  }

  /** Its last turn failed, and it makes the call that failed again when it is told `turn.retry`. */
  get isFailed(): boolean {
    return this.#actor.getSnapshot().hasTag('failed');
  }

  /** What has to be stored, as JSON text says it. */
  snapshot(): Json {
    return this.#actor.getPersistedSnapshot() as unknown as Json;
  }

  /** Resolves once the machine has gone as far as it can by itself; undefined when it has already. */
  settled(): Promise<void> | undefined {
    if (!this.#runsItems) return undefined;
    return nextTurn();
  }
}

/** XState takes one that looks on. */
function watched(
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

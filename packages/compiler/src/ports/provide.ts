import {
  type ActorLogic,
  type ActorScope,
  type AnyActorLogic,
  type AnyStateMachine,
  fromPromise,
  type Snapshot,
} from 'xstate';
import { EachLogic } from '../link/each.ts';
import { emittingToParent } from '../link/machine.ts';
import { answerOf, checkedInput } from './ask-port.ts';
import {
  type Port,
  type PortCall,
  type PortInput,
  type PortName,
  type Ports,
  portSchemas,
  type SpokenLine,
} from './contract.ts';
import { PortError } from './errors.ts';
import type { PortWishes } from './next-reply.ts';
import { type PortEnding, usageIn, usageRecorded } from './usage.ts';

export interface ProvideOptions {
  /** Called with each part of a streamed reply and the key of its call. */
  readonly onText?: (part: string, key: string) => void;
  /** The conversation so far, for ports that need it: the machine does not keep it. */
  readonly transcript?: () => readonly SpokenLine[];
  /** An actor of your own machine that invokes or spawns this one also receives the events that it emits. */
  readonly emitToParent?: boolean;
}

type PortSnapshot = Snapshot<unknown> & {
  readonly input: unknown;
  /** The call as its port sees it. Not stored: a restored call is made again. */
  readonly call: Call;
};

type PortEvent =
  | { readonly type: 'port.answered'; readonly output: unknown }
  | { readonly type: 'port.failed'; readonly error: unknown }
  | { readonly type: 'xstate.stop' };

type Scope = ActorScope<PortSnapshot, PortEvent>;

/**
 * Actor logic that calls a port once, and is done with its answer. It checks input and answer against the port's schema
 * and emits the usage of the call.
 *
 * Owns the call: `Call` is in the snapshot, is never stored, and is made again by a restored actor. States: active, then
 * done, error or stopped. An answer that arrives after a stop is ignored.
 *
 * `fromPromise` of XState would create an AbortController for each call, which is most of the cost of a call. This logic
 * creates it when the port reads `signal`.
 */
class PortLogic implements ActorLogic<PortSnapshot, PortEvent, unknown> {
  readonly #name: PortName;
  readonly #port: Port<PortName>;
  readonly #options: ProvideOptions;

  constructor(name: PortName, port: Port<PortName>, options: ProvideOptions) {
    this.#name = name;
    this.#port = port;
    this.#options = options;
  }

  getInitialSnapshot(_: unknown, input: unknown): PortSnapshot {
    return { status: 'active', output: undefined, error: undefined, input, call: new Call() };
  }

  start({ input, call }: PortSnapshot, { self }: Scope): void {
    if (this.#name === 'runAgent') call.heartbeat = heartbeatOf(input, call, self);
    const tell = (event: PortEvent) => {
      if (self.getSnapshot().status === 'active') self.send(event);
    };
    this.#answer(input, call).then(
      (output) => tell({ type: 'port.answered', output }),
      (error: unknown) => tell({ type: 'port.failed', error }),
    );
  }

  transition(snapshot: PortSnapshot, event: PortEvent, { emit }: Scope): PortSnapshot {
    const { call, input } = snapshot;
    const over = { input: undefined, call };
    if (snapshot.status !== 'active') return snapshot;
    switch (event.type) {
      case 'port.answered':
        this.#tellUsage(input, event, emit);
        return { ...over, status: 'done', output: event.output, error: undefined };
      case 'port.failed':
        this.#tellUsage(input, event, emit);
        return { ...over, status: 'error', output: undefined, error: event.error };
      case 'xstate.stop':
        call.stop();
        return { ...over, status: 'stopped', output: undefined, error: undefined };
      default:
        return snapshot;
    }
  }

  getPersistedSnapshot({ status, output, error, input }: PortSnapshot): Snapshot<unknown> {
    return { status, output, error, input } as Snapshot<unknown>;
  }

  restoreSnapshot(stored: Snapshot<unknown>): PortSnapshot {
    return { ...(stored as PortSnapshot), call: new Call() };
  }

  #tellUsage(input: unknown, ending: PortEnding, emit: Scope['emit']): void {
    const usage = usageIn(ending);
    // A call with invalid input was not made and cost nothing.
    if (usage) emit(usageRecorded(this.#name, (input as PortInput<PortName>).key, usage));
  }

  async #answer(input: unknown, call: Call): Promise<unknown> {
    const given = checkedInput(this.#name, input);
    // Events that the machine emits in this step come first. A call that is stopped before then is not made.
    await Promise.resolve();
    if (call.isStopped) return undefined;
    const { onText, transcript } = this.#options;
    if (onText) call.hear = (part) => onText(part, given.key);
    if (transcript) call.transcript = async (last) => (last > 0 ? transcript().slice(-last) : []);
    return answerOf(this.#name, this.#port, given, call);
  }
}

/** Sends the heartbeats of a task to its machine; undefined when the task has no token. */
function heartbeatOf(input: unknown, call: Call, self: Scope['self']): PortCall['heartbeat'] {
  const { token } = input as PortInput<'runAgent'>;
  if (token === undefined) return undefined;
  return () => {
    // oxlint-disable-next-line no-underscore-dangle -- XState has no other name for it.
    if (!call.isStopped) self._parent?.send({ type: 'task.heartbeat', token });
  };
}

/** A call that waits for its answer, as its port sees it. */
class Call implements PortCall {
  isStopped = false;
  /** Receives parts of the text. */
  hear: ((part: string) => void) | undefined;
  transcript: PortCall['transcript'];
  heartbeat: PortCall['heartbeat'];
  readonly now = Date.now();
  #controller: AbortController | undefined;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.isStopped) this.#controller.abort();
    return this.#controller.signal;
  }

  readonly onText = (part: string): void => {
    if (!this.isStopped) this.hear?.(part);
  };

  stop(): void {
    this.isStopped = true;
    this.#controller?.abort();
  }
}

/**
 * Returns the machine with its ports answered by the given functions. Inputs and outputs are checked against the port's schema.
 *
 * @param ports a function a port; the ones left out fail with `port/not-provided` when the chart asks them
 *
 * @example
 * ```ts
 * const { machine } = pricing;
 * const ports = { runAgent: async () => ({ result: { euros: 40 } }) };
 * const actor = createActor(providePorts(machine!, ports)).start();
 * console.log((await toPromise(actor)).output); // → { euros: 40 }
 * ```
 */
export function providePorts<Machine extends AnyStateMachine>(
  machine: Machine,
  ports: Partial<Ports> & PortWishes,
  options: ProvideOptions = {},
): Machine {
  const actors = Object.fromEntries(
    Object.keys(portSchemas)
      .filter((name): name is PortName => ports[name as PortName] !== undefined)
      .map((name) => [name, new PortLogic(name, ports[name] as Port<PortName>, options)]),
  );
  const provided = provideActors(machine, actors);
  return (options.emitToParent ? emittingToParent(provided) : provided) as Machine;
}

/**
 * Returns the machine, and the machines that it runs for items, with a host's own actor logic for the ports.
 *
 * @param actors logic by the name of the port
 */
function provideActors(
  machine: AnyStateMachine,
  actors: Readonly<Record<string, AnyActorLogic>>,
): AnyStateMachine {
  const nested = Object.entries(machine.implementations.actors as Record<string, AnyActorLogic>)
    .filter((entry): entry is [string, EachLogic] => entry[1] instanceof EachLogic)
    .map(([src, each]) => [src, new EachLogic(provideActors(each.machine, actors), each.pause)]);
  return machine.provide({ actors: { ...actors, ...Object.fromEntries(nested) } as never });
}

/** Whether a machine runs other machines for items of a list. With many items, it pauses. */
export function runsItems({ implementations }: AnyStateMachine): boolean {
  return Object.values(implementations.actors).some((logic) => logic instanceof EachLogic);
}

/** The machines that a machine runs for items of lists, and those that they run in turn. */
export function machinesOfItems({ implementations }: AnyStateMachine): AnyStateMachine[] {
  return Object.values(implementations.actors).flatMap((logic) =>
    logic instanceof EachLogic ? [logic.machine, ...machinesOfItems(logic.machine)] : [],
  );
}

/** The default of every port: it fails and says that no port is provided. */
export const unprovidedPorts = Object.fromEntries(
  (Object.keys(portSchemas) as PortName[]).map((name) => [
    name,
    // Without a host there are no checkpoints, and the run continues.
    name === 'saveCheckpoint'
      ? fromPromise(async () => ({ kept: false }))
      : fromPromise(unprovided(name)),
  ]),
);

/** A port that fails with `port/not-provided`. */
export function unprovided(name: PortName): () => Promise<never> {
  return async () => {
    throw new PortError(
      'port/not-provided',
      name,
      `The chart asks the port "${name}", and none is provided. Pass one: providePorts(machine, { ${name}: ... }).`,
    );
  };
}

import {
  type EventObject,
  type Json,
  type JsonObject,
  PortError,
  type PortName,
} from '@dramaturg/compiler';
import { portSchemas } from '@dramaturg/compiler';
import type { HostEvent, TranscriptLine } from '@dramaturg/host';
import {
  birthOf,
  type InstanceState,
  LiveInstance,
  type LoadedDefinitions,
  type StepResult,
  StepWorld,
} from '@dramaturg/host/engine';

/** A call that waits for its answer at a moment. */
export interface WaitingCall {
  readonly letter: string;
  readonly port: PortName;
  readonly input: JsonObject;
  /** The machine that makes the call. */
  readonly source: string;
  /** When it is made again after a failure, in milliseconds since 1970 UTC. */
  readonly repeatAt?: number;
}

/** An instance at a moment. It never changes, so that several inputs can be tried from it. */
export interface Moment {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly status: string;
  readonly ended: boolean;
  readonly state: InstanceState;
  readonly transcript: readonly TranscriptLine[];
  /** Calls that a port has to answer, in the order in which they were made. */
  readonly calls: readonly WaitingCall[];
  /** Calls that wait for a time or a decision. */
  readonly waits: readonly WaitingCall[];
  /** The events of the step that has led here. */
  readonly events: readonly HostEvent[];
  /** Why the step was refused. */
  readonly refused?: string;
  /** The last answer of a port, as a test file has it. */
  readonly answered?: JsonObject;
  /** How many values were drawn so far: random values are a function of it. */
  readonly drawn: number;
}

/** What an instance begins with. */
export interface Beginning {
  readonly input: JsonObject;
  readonly lifecycleInput?: JsonObject;
  readonly contact?: string;
}

export type PortAnswer = { readonly output: Json } | { readonly error: Error };

/**
 * Tries inputs on an instance. Each returns the moment after it and leaves the moment before as it was. Nothing is called, sent or
 * stored, and the time is that of the moment: the steps are those that a host would decide.
 */
export class Branches {
  readonly #definitions: LoadedDefinitions;
  readonly #world: BranchWorld;

  constructor(definitions: LoadedDefinitions, world: BranchWorld) {
    this.#definitions = definitions;
    this.#world = world;
  }

  /** @throws InputError when the input does not fit */
  async begin({ input, lifecycleInput, contact }: Beginning, at: number): Promise<Moment> {
    const { lifecycle, flow } = this.#definitions;
    const machine = flow ? { ...flow, lifecycle: lifecycle.ref } : lifecycle;
    const order = {
      id: 'test',
      channel: 'test',
      input,
      ...(lifecycleInput ? { lifecycleInput } : {}),
      ...(contact === undefined ? {} : { contact }),
    };
    const birth = { ...birthOf(order, machine), queued: false };
    this.#world.recall(at, 0);
    const { instance, result } = await LiveInstance.begin(
      birth,
      this.#definitions,
      this.#surroundings([]),
    );
    return this.#momentAfter(instance, result, []);
  }

  /** The person writes. */
  say(from: Moment, text: string): Promise<Moment> {
    const id = `message-${from.transcript.filter(({ role }) => role === 'contact').length + 1}`;
    return this.send(from, { type: 'message.received', text, id });
  }

  send(from: Moment, event: EventObject): Promise<Moment> {
    return this.#step(from, from.at, (instance) => instance.decideEvent(event));
  }

  /** A port answers a call. */
  answer(from: Moment, { letter, port }: WaitingCall, answer: PortAnswer): Promise<Moment> {
    return this.#step(from, from.at, (instance) =>
      instance.decideCall(letter, endingOf(port, answer)),
    );
  }

  /** A timer fires, or a failed call is made again. */
  wake(from: Moment, { letter, input, repeatAt }: WaitingCall): Promise<Moment> {
    const at = Math.max(from.at, repeatAt ?? Number(input['at']));
    return this.#step(from, at, (instance) =>
      repeatAt === undefined
        ? instance.decideCall(letter, { output: { firedAt: at } })
        : instance.decideRepeat(letter),
    );
  }

  async #step(
    from: Moment,
    at: number,
    decide: (instance: LiveInstance) => Promise<StepResult>,
  ): Promise<Moment> {
    this.#world.recall(at, from.drawn);
    const { state, status, ended, transcript } = from;
    const record = {
      id: 'test',
      ...(state.address === null ? {} : { contact: state.address }),
      status,
      ended,
      transcriptLength: transcript.length,
      snapshot: state as unknown as Json,
      parts: [],
      outbox: [],
    };
    const instance = LiveInstance.restore(
      record as unknown as Parameters<typeof LiveInstance.restore>[0],
      this.#definitions,
      this.#surroundings(transcript),
    );
    return this.#momentAfter(instance, await decide(instance), transcript);
  }

  async #momentAfter(
    instance: LiveInstance,
    result: StepResult,
    before: readonly TranscriptLine[],
  ): Promise<Moment> {
    const results = [result];
    // The channel accepts every message at once.
    for (let message = instance.messages[0]; message; message = instance.messages[0])
      if (message.body.role === 'manual')
        results.push(await instance.decideDelivered(message.letter));
      else instance.acknowledged(message.letter);
    for (let slices = 0; instance.hasMore && slices < slicesMax; slices += 1)
      results.push(await instance.decideMore());
    const { state, status, ended } = instance.takeChange();
    const { accepted, because } = result.answer as { accepted: boolean; because?: string };
    return {
      at: this.#world.now(),
      status,
      ended,
      state,
      transcript: [...before, ...results.flatMap(({ lines }) => lines?.transcript ?? [])],
      calls: callsIn(instance.calls()),
      waits: callsIn(instance.waits()),
      events: results.flatMap(({ events }) => events),
      ...(accepted ? {} : { refused: because ?? '' }),
      drawn: this.#world.drawn,
    };
  }

  #surroundings(transcript: readonly TranscriptLine[]) {
    return {
      world: this.#world,
      isWaitedFor: (port: PortName) => port === 'timer' || port === 'requestDecision',
      definitionOf: () => undefined,
      hasChannel: () => true,
      readTranscript: async (_: string, { from = 0, limit }: { from?: number; limit: number }) =>
        transcript.slice(from, from + limit) as unknown as Json[],
      inboxLimits: { messages: Infinity, size: Infinity },
    };
  }
}

/** Steps of a list of items: a list without an end must not hold up the search. */
const slicesMax = 100;

function callsIn(calls: ReturnType<LiveInstance['calls']>): WaitingCall[] {
  return Array.from(calls.values(), ({ letter, source, call, repeatAt }) => ({
    letter,
    source,
    port: call.port,
    input: call.input as JsonObject,
    ...(repeatAt === undefined ? {} : { repeatAt }),
  }));
}

function endingOf(port: PortName, answer: PortAnswer) {
  if ('output' in answer) {
    const checked = portSchemas[port].output.safeParse(answer.output);
    if (checked.success) return { output: checked.data };
    return { error: new PortError('port/bad-output', port, 'The answer has a wrong form.') };
  }
  const { error } = answer;
  if (error instanceof PortError) return { error };
  return { error: new PortError('port/failed', port, error.message, { cause: error }) };
}

/** The time and the random values of tried steps: both depend on the moment only, so that a step has the same result each time. */
export class BranchWorld extends StepWorld {
  #at = 0;
  #drawn = 0;

  constructor() {
    super({
      now: () => this.#at,
      random: () => {
        this.#drawn += 1;
        return 0.5;
      },
      uuid: () => {
        this.#drawn += 1;
        return `00000000-0000-4000-8000-${String(this.#drawn).padStart(12, '0')}`;
      },
    });
  }

  get drawn(): number {
    return this.#drawn;
  }

  recall(at: number, drawn: number): void {
    this.#at = at;
    this.#drawn = drawn;
  }
}

import type { Json, JsonObject, PortName } from '@dramaturg/compiler';
import type { HostEvent, TranscriptLine } from '@dramaturg/host';
import {
  type FamilyLetter,
  LiveInstance,
  type LoadedDefinitions,
  type StepResult,
  StepWorld,
} from '@dramaturg/host/engine';
import { explored, type Moment, type Stored, type WaitingCall } from './moment.ts';

/** The definitions of instances, and the world of all steps. */
export interface FamilyContext {
  readonly definitions: LoadedDefinitions;
  /** The definition that answers calls of an agent, by its name; undefined when a port answers them. */
  readonly definitionOf: (agent: string) => string | undefined;
  readonly definitionsOfChild: (name: string) => LoadedDefinitions;
  readonly world: BranchWorld;
}

/** An instance during a step. */
export interface Member extends Stored {
  readonly id: string;
  /** For a child: the name of its definition. */
  readonly definition?: string;
  readonly calls: readonly WaitingCall[];
  readonly waits: readonly WaitingCall[];
}

/** The most steps of a list of items: an endless list must not hold up the search. */
const slicesMax = 100;

/** Owns the explored instance and its children during a step, with what they have decided. */
export class Members {
  readonly #context: FamilyContext;
  readonly #byId = new Map<string, Member>();
  readonly events: HostEvent[] = [];
  /** Letters to parents and children that were not delivered yet. */
  readonly letters: { readonly sender: string; readonly letter: FamilyLetter }[] = [];

  constructor(context: FamilyContext, before?: Moment) {
    this.#context = context;
    if (!before) return;
    const { status, ended, state, transcript, children, calls, waits } = before;
    for (const stored of [{ id: explored, status, ended, state, transcript }, ...children])
      this.#byId.set(stored.id, {
        ...stored,
        calls: calls.filter(({ instance }) => instance === stored.id),
        waits: waits.filter(({ instance }) => instance === stored.id),
      });
  }

  /** In the order in which they were started. */
  get all(): readonly Member[] {
    return [...this.#byId.values()];
  }

  get(id: string): Member | undefined {
    return this.#byId.get(id);
  }

  /** @throws InputError when the input does not fit */
  async begin(
    birth: Parameters<typeof LiveInstance.begin>[0],
    definitions: LoadedDefinitions,
    definition?: string,
  ): Promise<void> {
    const { instance, result } = await LiveInstance.begin(birth, definitions, this.#surroundings());
    await this.#keep(instance, result, definition);
  }

  /** Lets an instance decide, and keeps what it has decided. */
  async decide(
    id: string,
    decide: (instance: LiveInstance) => Promise<StepResult>,
  ): Promise<StepResult['answer']> {
    const instance = this.restore(id);
    const result = await decide(instance);
    // Without lines nothing has changed: it was refused, or its call is not open any more.
    if (result.lines) await this.#keep(instance, result, this.#byId.get(id)!.definition);
    return result.answer;
  }

  restore(id: string): LiveInstance {
    const { definition, state, status, ended, transcript } = this.#byId.get(id)!;
    const record = {
      id,
      ...(state.address === null ? {} : { contact: state.address }),
      status,
      ended,
      transcriptLength: transcript.length,
      snapshot: state as unknown as Json,
      parts: [],
      outbox: [],
    };
    const { definitions, definitionsOfChild } = this.#context;
    return LiveInstance.restore(
      record as unknown as Parameters<typeof LiveInstance.restore>[0],
      definition === undefined ? definitions : definitionsOfChild(definition),
      this.#surroundings(),
    );
  }

  async #keep(
    instance: LiveInstance,
    result: StepResult,
    definition: string | undefined,
  ): Promise<void> {
    const results = [result];
    // The channel accepts every message immediately.
    for (let message = instance.messages[0]; message; message = instance.messages[0])
      if (message.body.role === 'manual')
        results.push(await instance.decideDelivered(message.letter));
      else instance.acknowledged(message.letter);
    for (let slices = 0; instance.hasMore && slices < slicesMax; slices += 1)
      results.push(await instance.decideMore());
    const { id } = instance;
    // Taking the change decides on letters.
    const { state, status, ended } = instance.takeChange();
    for (const { body: letter } of instance.familyLetters)
      this.letters.push({ sender: id, letter });
    this.events.push(...results.flatMap(({ events }) => events));
    this.#byId.set(id, {
      id,
      ...(definition === undefined ? {} : { definition }),
      state,
      status,
      ended,
      transcript: [...(this.#byId.get(id)?.transcript ?? []), ...results.flatMap(linesOf)],
      calls: callsIn(instance.calls(), id, definition),
      // A call that a child answers waits for nothing else.
      waits: callsIn(instance.waits(), id, definition).filter(
        ({ port, repeatAt }) => port !== 'runAgent' || repeatAt !== undefined,
      ),
    });
  }

  #surroundings() {
    const { world, definitionOf } = this.#context;
    return {
      world,
      isWaitedFor: (port: PortName) => port === 'timer' || port === 'requestDecision',
      definitionOf,
      hasChannel: () => true,
      readTranscript: async (id: string, { from = 0, limit }: { from?: number; limit: number }) =>
        (this.#byId.get(id)?.transcript ?? []).slice(from, from + limit) as unknown as Json[],
      inboxLimits: { messages: Infinity, size: Infinity },
    };
  }
}

function linesOf({ lines }: StepResult): readonly TranscriptLine[] {
  return lines?.transcript ?? [];
}

function callsIn(
  calls: ReturnType<LiveInstance['calls']>,
  instance: string,
  child: string | undefined,
): WaitingCall[] {
  return Array.from(calls.values(), ({ letter, source, call, repeatAt }) => ({
    letter,
    source,
    instance,
    ...(child === undefined ? {} : { child }),
    port: call.port,
    input: call.input as JsonObject,
    ...(repeatAt === undefined ? {} : { repeatAt }),
  }));
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

import type { Json, Port, PortInput, PortOutput, Usage } from '@dramaturg/compiler';

type Callback = keyof NonNullable<NonNullable<PortInput<'runAgent'>['stream']>['callbacks']>;

/**
 * Calls the agents that a workflow names for the chunks, the end and the failure of an answer. An agent that does not stream has
 * one chunk. A failing callback fails the call. A host does this itself.
 *
 * @example
 * ```ts
 * const runAgent = streamCallbacks(async (_, { onText }) => {
 *   onText('Forty');
 *   return { result: 'Forty euros' };
 * });
 * const actor = createActor(providePorts(pricing.machine!, { runAgent })).start();
 * console.log((await toPromise(actor)).output); // → Forty euros
 * ```
 */
export function streamCallbacks(runAgent: Port<'runAgent'>): Port<'runAgent'> {
  return async (input, call) => {
    const { stream } = input;
    if (!stream?.callbacks) return runAgent(input, call);
    const { callbacks } = stream;
    const used: PortOutput<'runAgent'>['usage'][] = [];
    let count = 0;
    const tell = async (name: Callback, about: Json): Promise<void> => {
      const agent = callbacks[name];
      if (agent === undefined) return;
      count += 1;
      const key = `${input.key}/${name}/${count}`;
      const { usage } = await runAgent(
        { key, agent, input: about },
        { ...quiet, signal: call.signal },
      );
      if (usage) used.push(usage);
    };
    const chunks = new Chunks(stream);
    let told: Promise<void> = Promise.resolve();
    let index = 0;
    const tellChunk = (chunk: string) => {
      const about = { chunk, index };
      index += 1;
      told = told.then(() => tell('onChunk', about));
      // The failure is thrown when the answer arrives.
      told.catch(() => undefined);
    };
    let output: PortOutput<'runAgent'>;
    try {
      const { signal, heartbeat, maxTokens, transcript, instance, now, timeZone } = call;
      const onText = (part: string) => {
        call.onText(part);
        const chunk = chunks.add(part);
        if (chunk !== undefined) tellChunk(chunk);
      };
      output = await runAgent(input, {
        signal,
        heartbeat,
        maxTokens,
        transcript,
        instance,
        now,
        timeZone,
        onText,
      });
    } catch (error) {
      await told;
      await tell('onError', { error: error instanceof Error ? error.message : String(error) });
      throw error;
    }
    const { result } = output;
    const text = typeof result === 'string' ? result : JSON.stringify(result);
    const rest = index === 0 ? chunks.rest() || text : chunks.rest();
    if (rest !== '') tellChunk(rest);
    await told;
    await tell('onComplete', { result: result as Json });
    return used.length === 0 ? output : { ...output, usage: sumOf([output.usage, ...used]) };
  };
}

const quiet = { onText: () => {} };

function sumOf(usages: readonly PortOutput<'runAgent'>['usage'][]): Usage {
  const sum = { requests: 0, inputTokens: 0, outputTokens: 0 };
  let cost: number | undefined;
  let model: string | undefined;
  for (const usage of usages) {
    sum.requests += usage?.requests ?? 0;
    sum.inputTokens += usage?.inputTokens ?? 0;
    sum.outputTokens += usage?.outputTokens ?? 0;
    if (usage?.cost !== undefined) cost = (cost ?? 0) + usage.cost;
    model ??= usage?.model;
  }
  return { ...sum, ...(cost !== undefined && { cost }), ...(model !== undefined && { model }) };
}

type Stream = NonNullable<PortInput<'runAgent'>['stream']>;

/** The places where a text may be cut, by mode. Other modes may cut anywhere. */
const ends: Readonly<Record<string, RegExp>> = {
  line: /\n/g,
  sentence: /[.!?](?=\s)/g,
};

/** The size of chunks without a `ChunkSize`, in UTF-16 units. */
const chunkSizeDefault = 256;

/** Cuts a text that arrives in parts into chunks: tokens as they arrive, lines, sentences, or chunks of a size. */
class Chunks {
  readonly #mode: string;
  readonly #least: number;
  #waiting = '';

  constructor({ mode, chunkSize }: Stream) {
    this.#mode = mode;
    this.#least = chunkSize ?? (mode === 'chunk' ? chunkSizeDefault : 1);
  }

  /** Returns the next complete chunk; undefined when there is none. */
  add(part: string): string | undefined {
    this.#waiting += part;
    const end = this.#end();
    if (end < this.#least) return undefined;
    const chunk = this.#waiting.slice(0, end);
    this.#waiting = this.#waiting.slice(end);
    return chunk;
  }

  /** Returns the remaining text. */
  rest(): string {
    const rest = this.#waiting;
    this.#waiting = '';
    return rest;
  }

  #end(): number {
    const pattern = Object.hasOwn(ends, this.#mode) ? ends[this.#mode] : undefined;
    if (!pattern) return this.#waiting.length;
    const last = [...this.#waiting.matchAll(pattern)].at(-1);
    return last ? last.index + 1 : 0;
  }
}

import {
  type Port,
  type PortCall,
  PortError,
  type PortInput,
  type PortName,
  type PortOutput,
  type Usage,
} from '@dramaturg/compiler';

/** A call of a port, for which models are asked. */
export interface Asking {
  readonly port: PortName;
  readonly key: string;
  readonly call: PortCall;
  /** The id of the conversation that the call is about, if any. */
  readonly conversation?: string | undefined;
  /** The cost so far, of all attempts. */
  readonly spending: Spending;
}

type PaidPort = Exclude<PortName, 'requestDecision' | 'timer'>;

/** Makes a port that reports the cost of its answer, also of a failure. */
export function paidPort<Name extends PaidPort>(
  port: Name,
  answer: (input: PortInput<Name>, asking: Asking) => Promise<PortOutput<Name>>,
): Port<Name> {
  return async (input, call) => {
    const spending = new Spending();
    try {
      const conversation = 'transcript' in input ? input.transcript.conversation : undefined;
      const output = await answer(input, { port, key: input.key, call, conversation, spending });
      const { usage } = spending;
      return usage === undefined ? output : { ...output, usage };
    } catch (error) {
      const { usage } = spending;
      throw usage === undefined ? error : costly(error, port, usage);
    }
  };
}

function costly(error: unknown, port: PortName, usage: Spending['usage']): PortError {
  if (error instanceof PortError) {
    const { code, message, cause } = error;
    return new PortError(code, error.port, message, { cause, usage });
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new PortError('port/failed', port, `The port "${port}" failed: ${reason}`, {
    cause: error,
    usage,
  });
}

type Answered = Pick<
  Usage,
  'inputTokens' | 'outputTokens' | 'cachedInputTokens' | 'reasoningTokens'
> & {
  /** The name in the answer, which may be longer than the requested one. */
  readonly model?: string | undefined;
};
/** The usage as a port returns it, before defaults are filled in. */
type GivenUsage = NonNullable<PortOutput<'reply'>['usage']>;

/** Sums up the usage of models, as their providers count it. */
export class Spending {
  readonly #asked = new Set<string | undefined>();
  readonly #answered = new Set<string | undefined>();
  #requests = 0;
  #inputTokens = 0;
  #outputTokens = 0;
  #cachedInputTokens = 0;
  #reasoningTokens = 0;
  #cost: number | undefined;

  /** Counts a request, whether or not an answer comes. */
  asks(model: string | undefined): void {
    this.#asked.add(model);
    this.#requests += 1;
  }

  /** Counts the usage of an answer. */
  answers({
    model,
    inputTokens,
    outputTokens,
    cachedInputTokens = 0,
    reasoningTokens = 0,
  }: Answered): void {
    if (model !== undefined) this.#answered.add(model);
    this.#inputTokens += inputTokens;
    this.#outputTokens += outputTokens;
    this.#cachedInputTokens += cachedInputTokens;
    this.#reasoningTokens += reasoningTokens;
  }

  /** Adds usage that was summed up elsewhere. */
  add({
    model,
    requests = 1,
    inputTokens = 0,
    outputTokens = 0,
    cost,
    ...parts
  }: GivenUsage): void {
    this.#asked.add(model);
    this.#requests += requests;
    this.answers({ ...parts, model, inputTokens, outputTokens });
    if (cost !== undefined) this.#cost = (this.#cost ?? 0) + cost;
  }

  /** Undefined when nothing was used. */
  get usage(): Usage | undefined {
    if (this.#requests + this.#inputTokens + this.#outputTokens + (this.#cost ?? 0) === 0)
      return undefined;
    const names = [...(this.#answered.size > 0 ? this.#answered : this.#asked)];
    const [model] = names;
    return {
      // With several models, no name is given: one would be charged for the others.
      ...(names.length > 1 || model === undefined ? {} : { model }),
      requests: this.#requests,
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
      ...(this.#cachedInputTokens > 0 && { cachedInputTokens: this.#cachedInputTokens }),
      ...(this.#reasoningTokens > 0 && { reasoningTokens: this.#reasoningTokens }),
      ...(this.#cost === undefined ? {} : { cost: this.#cost }),
    };
  }
}

import type { PortOutput, Usage } from '@dramaturg/compiler';

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

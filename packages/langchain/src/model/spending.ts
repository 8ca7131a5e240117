import type { PortOutput, Usage } from '@dramaturg/compiler';

type Answered = Pick<
  Usage,
  'inputTokens' | 'outputTokens' | 'cachedInputTokens' | 'reasoningTokens'
> & {
  /** The name under which it has answered, which may be longer than the one it was asked by. */
  readonly model?: string | undefined;
};
/** As a port gives it, before defaults are filled in. */
type GivenUsage = NonNullable<PortOutput<'reply'>['usage']>;

/** Sums up what models have cost, as their providers count it. */
export class Spending {
  readonly #asked = new Set<string | undefined>();
  readonly #answered = new Set<string | undefined>();
  #requests = 0;
  #inputTokens = 0;
  #outputTokens = 0;
  #cachedInputTokens = 0;
  #reasoningTokens = 0;
  #cost: number | undefined;

  /** A model is asked: that counts, whether an answer comes or not. */
  asks(model: string | undefined): void {
    this.#asked.add(model);
    this.#requests += 1;
  }

  /** The model that was asked has answered. */
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

  /** What somebody else has summed up. */
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
      // Of several, none is to be charged for the others.
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

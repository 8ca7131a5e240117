import type { PortOutput, Usage } from '@dramaturg/compiler';

type Tokens = Pick<Usage, 'inputTokens' | 'outputTokens'>;
/** As a port gives it, before defaults are filled in. */
type GivenUsage = NonNullable<PortOutput<'reply'>['usage']>;

/** Sums up what models have cost, as their providers count it. */
export class Spending {
  /** Undefined when there were several, or when it has no name. */
  #model: string | undefined;
  #requests = 0;
  #inputTokens = 0;
  #outputTokens = 0;
  #cost: number | undefined;

  /** A model is asked: that counts, whether an answer comes or not. */
  asks(model: string | undefined): void {
    this.add({ model });
  }

  /** The model that was asked has answered. */
  answers({ inputTokens, outputTokens }: Tokens): void {
    this.#inputTokens += inputTokens;
    this.#outputTokens += outputTokens;
  }

  /** What somebody else has summed up. */
  add({ model, requests = 1, inputTokens = 0, outputTokens = 0, cost }: GivenUsage): void {
    this.#model = this.#requests === 0 || this.#model === model ? model : undefined;
    this.#requests += requests;
    this.answers({ inputTokens, outputTokens });
    if (cost !== undefined) this.#cost = (this.#cost ?? 0) + cost;
  }

  /** Undefined when no model was asked. */
  get usage(): Usage | undefined {
    if (this.#requests === 0) return undefined;
    return {
      ...(this.#model === undefined ? {} : { model: this.#model }),
      requests: this.#requests,
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
      ...(this.#cost === undefined ? {} : { cost: this.#cost }),
    };
  }
}

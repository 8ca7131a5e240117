import { type AgentEnding, type EventObject, type PortInput } from '@dramaturg/compiler';

/** Counts what a workflow uses that runs within another, of what is left of a budget for it. */
export class Left {
  readonly #left: NonNullable<PortInput<'runAgent'>['left']>;
  #tokens = 0;
  #cost = 0;

  constructor({ left = {} }: PortInput<'runAgent'>) {
    this.#left = left;
  }

  /** @returns how the workflow ends, once it has used more */
  after(event: EventObject): (AgentEnding & { readonly error: string }) | undefined {
    if (event.type !== 'usage.recorded') return undefined;
    // As an agent says itself, or as its port has counted.
    const { tokens, inputTokens, outputTokens, cost } = event;
    this.#tokens += amount(tokens ?? amount(inputTokens) + amount(outputTokens));
    this.#cost += amount(cost);
    const { tokens: mostTokens = Infinity, cost: mostCost = Infinity } = this.#left;
    if (this.#tokens <= mostTokens && this.#cost <= mostCost) return undefined;
    const [most, used] =
      this.#tokens > mostTokens
        ? [`${mostTokens} tokens`, this.#tokens]
        : [`${mostCost} in money`, this.#cost];
    return {
      error: 'States.BudgetExceeded',
      cause: `It had ${most} of a budget left, and has used ${used}.`,
      usage: { requests: 0, inputTokens: 0, outputTokens: this.#tokens, cost: this.#cost },
    };
  }
}

function amount(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

import {
  type AgentEnding,
  type EventObject,
  type PortInput,
  type Usage,
} from '@dramaturg/compiler';

/** Counts what a workflow uses that runs within another, of what is left of a budget for it. */
export class Left {
  readonly #left: NonNullable<PortInput<'runAgent'>['left']>;
  #inputTokens = 0;
  #outputTokens = 0;
  #cost = 0;

  constructor({ left = {} }: PortInput<'runAgent'>) {
    this.#left = left;
  }

  /** What it has used so far. How often a model was asked is told of its own calls. */
  get usage(): Usage {
    return {
      requests: 0,
      inputTokens: Math.round(this.#inputTokens),
      outputTokens: Math.round(this.#outputTokens),
      cost: this.#cost,
    };
  }

  /** @returns how the workflow ends, once it has used more */
  after(event: EventObject): (AgentEnding & { readonly error: string }) | undefined {
    if (event.type !== 'usage.recorded') return undefined;
    const { tokens: said, inputTokens, outputTokens = said, cost } = event;
    this.#inputTokens += amount(inputTokens);
    this.#outputTokens += amount(outputTokens);
    this.#cost += amount(cost);
    const tokens = this.#inputTokens + this.#outputTokens;
    const { tokens: mostTokens = Infinity, cost: mostCost = Infinity } = this.#left;
    if (tokens <= mostTokens && this.#cost <= mostCost) return undefined;
    const [most, used] =
      tokens > mostTokens ? [`${mostTokens} tokens`, tokens] : [`${mostCost} in money`, this.#cost];
    return {
      error: 'States.BudgetExceeded',
      cause: `It had ${most} of a budget left, and has used ${used}.`,
    };
  }
}

function amount(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

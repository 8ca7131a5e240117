import type { EventObject, PortInput, Usage } from '@dramaturg/compiler';
import { type AgentEnding, type CountedCost, sumOfCounted } from '@dramaturg/compiler/machine';

/** Counts what a nested workflow uses of the remaining budget of the workflow that runs it. */
export class RemainingBudget {
  readonly #limits: NonNullable<PortInput<'runAgent'>['left']>;
  #inputTokens = 0;
  #outputTokens = 0;
  #cost = 0;
  #counted: CountedCost | undefined;

  constructor({ left = {} }: PortInput<'runAgent'>) {
    this.#limits = left;
  }

  /** What it has used so far. Requests to models are not counted here: the calls themselves report them. */
  get usage(): Usage {
    return {
      requests: 0,
      inputTokens: Math.round(this.#inputTokens),
      outputTokens: Math.round(this.#outputTokens),
      cost: this.#cost,
      ...(this.#counted && { counted: this.#counted }),
    };
  }

  /** Adds cost that accounts of several runs have: the workflow or a definition inside it has counted it. */
  addCounted(more: CountedCost | undefined): void {
    if (more) this.#counted = sumOfCounted(this.#counted, more);
  }

  /** Counts the usage in an event. @returns the ending of the workflow once it has exceeded the budget */
  after(event: EventObject): (AgentEnding & { readonly error: string }) | undefined {
    if (event.type !== 'usage.recorded') return undefined;
    const { tokens: said, inputTokens, outputTokens = said, cost } = event;
    this.#inputTokens += amount(inputTokens);
    this.#outputTokens += amount(outputTokens);
    this.#cost += amount(cost);
    const tokens = this.#inputTokens + this.#outputTokens;
    const { tokens: mostTokens = Infinity, cost: mostCost = Infinity } = this.#limits;
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

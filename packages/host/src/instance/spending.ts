import type { EventObject, PortInput, PortName, Usage } from '@dramaturg/compiler';
import {
  costToCount,
  type PortEnding,
  sumOfCounted,
  usageIn,
  usageRecorded,
  usageSchema,
} from '@dramaturg/compiler/machine';
import {
  type CallUsage,
  formatAmount,
  noUsage,
  tokensOf,
  type UsageTotal,
  addCall,
  addUsage,
} from '../limits/index.ts';
import type { OpenCall } from '../xstate/open-call.ts';
import type { RemainingBudget, ParentRef } from './state.ts';

/** Owns the consumption of an instance: by its own calls, by reports of agents, and by its children. */
export class Spending {
  #used: UsageTotal | undefined;

  /** @param used the stored total; undefined before the first call has ended */
  constructor(used: UsageTotal | undefined) {
    this.#used = used;
  }

  get used(): UsageTotal {
    return this.#used ?? noUsage;
  }

  /** The fields to store. */
  get state(): { readonly used?: UsageTotal } {
    return this.#used ? { used: this.#used } : {};
  }

  /** The consumption of the instance, for its parent; undefined when it is zero. */
  get usage(): Usage | undefined {
    const { requests, inputTokens, outputTokens, cost, counted } = this.used;
    if (requests + inputTokens + outputTokens + cost === 0) return undefined;
    return { requests, inputTokens, outputTokens, cost, ...(counted && { counted }) };
  }

  /**
   * Counts a call that has ended.
   *
   * @param use the consumption of the call; undefined when a child has answered it. The ending then has the child's usage.
   * @returns the event that reports the usage; undefined when a child has reported it
   */
  count(
    { port, key, input }: OpenCall,
    ending: PortEnding,
    use?: CallUsage,
  ): EventObject | undefined {
    if (port === 'countSpending' && 'output' in ending) {
      const added = costToCount(input as unknown as PortInput<'countSpending'>);
      this.#used = { ...this.used, counted: sumOfCounted(this.used.counted, added) };
    }
    if (use) {
      this.#used = addCall(this.used, use);
      return use.usage && usageRecorded(port, key, use.usage);
    }
    const usage = usageIn(ending);
    if (usage) this.#used = addUsage(this.used, usage);
    return undefined;
  }

  /** Counts a call whose outcome no machine gets: it was made for a draft, or was aborted. */
  countApart(port: PortName, key: string, use: CallUsage): EventObject | undefined {
    this.#used = addCall(this.used, use);
    return use.usage && usageRecorded(port, key, use.usage);
  }

  /** Counts the reported consumption of an agent of a workflow. Tokens without a direction count as output tokens. */
  countReported({ tokens, inputTokens = 0, outputTokens = tokens, cost }: EventObject): void {
    const reported = usageSchema.safeParse({
      requests: 0,
      inputTokens: whole(inputTokens),
      outputTokens: whole(outputTokens),
      cost,
    });
    if (reported.success) this.#used = addUsage(this.used, reported.data);
  }

  /** The budget of a child: the budget of its call, but at most the rest of the parent's budget. */
  remainingFor(
    requested: RemainingBudget | undefined,
    parent: ParentRef | undefined,
  ): RemainingBudget | undefined {
    const own = parent?.remainingBudget;
    if (!own) return requested;
    const { used } = this;
    const { tokens: mostTokens = Infinity, cost: mostCost = Infinity } = own;
    const tokens = Math.min(
      requested?.tokens ?? Infinity,
      Math.max(0, mostTokens - tokensOf(used)),
    );
    const cost = Math.min(requested?.cost ?? Infinity, Math.max(0, mostCost - used.cost));
    return { ...(tokens < Infinity && { tokens }), ...(cost < Infinity && { cost }) };
  }

  /** Why a child may make no more calls on its parent's budget; undefined when it may. */
  exceeded({ instance, remainingBudget: budget = {} }: ParentRef): string | undefined {
    const because = (what: string, amount: number, most = Infinity) =>
      amount >= most
        ? `${JSON.stringify(instance)} had ${formatAmount(most)} ${what} of its budget left for this child, which has used ${formatAmount(amount)}.`
        : undefined;
    const { used } = this;
    return (
      because('tokens', tokensOf(used), budget.tokens) ??
      because('in money', used.cost, budget.cost)
    );
  }
}

/** Rounds tokens, because agents may report fractions. */
function whole(tokens: unknown): unknown {
  return typeof tokens === 'number' ? Math.round(tokens) : tokens;
}

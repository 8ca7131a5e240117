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

/** Owns what an instance has consumed: by its own calls, as agents report, and by its children. */
export class Spending {
  #used: UsageTotal | undefined;

  /** @param used as it was stored; undefined before the first call has ended */
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

  /** What the instance has consumed, for its parent; undefined when that is nothing. */
  get usage(): Usage | undefined {
    const { requests, inputTokens, outputTokens, cost, counted } = this.used;
    if (requests + inputTokens + outputTokens + cost === 0) return undefined;
    return { requests, inputTokens, outputTokens, cost, ...(counted && { counted }) };
  }

  /**
   * Counts a call that has ended.
   *
   * @param use what the call has consumed; undefined when a child has answered it. The ending then has the child's usage.
   * @returns the event that reports the usage, unless a child has reported it already
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

  /** Counts a call that was made for a draft, and not by the machine. */
  countDraft(port: PortName, key: string, use: CallUsage): EventObject | undefined {
    this.#used = addCall(this.used, use);
    return use.usage && usageRecorded(port, key, use.usage);
  }

  /** Counts what an agent of a workflow has reported. Tokens without a direction count as output tokens. */
  countReported({ tokens, inputTokens = 0, outputTokens = tokens, cost }: EventObject): void {
    const reported = usageSchema.safeParse({
      requests: 0,
      inputTokens: whole(inputTokens),
      outputTokens: whole(outputTokens),
      cost,
    });
    if (reported.success) this.#used = addUsage(this.used, reported.data);
  }

  /** The budget of a child: what its call allows, but not more than its parent has left. */
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

/** Agents may report fractions. */
function whole(tokens: unknown): unknown {
  return typeof tokens === 'number' ? Math.round(tokens) : tokens;
}

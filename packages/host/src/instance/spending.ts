import {
  type EventObject,
  type PortEnding,
  usageIn,
  usageRecorded,
  usageSchema,
  type Usage,
} from '@dramaturg/compiler';
import {
  type CallUse,
  inFigures,
  nothingUsed,
  tokensOf,
  type Used,
  withCall,
  withUsage,
} from '../limits/index.ts';
import type { OpenCall } from '../xstate/open-call.ts';
import type { RemainingBudget, ParentRef } from './state.ts';

/** What an instance has used up: by its own calls, by what agents say of themselves, and by its children. */
export class Spending {
  #used: Used | undefined;

  /** @param used as it was stored; absent before anything was used */
  constructor(used: Used | undefined) {
    this.#used = used;
  }

  get used(): Used {
    return this.#used ?? nothingUsed;
  }

  /** What has to be stored. */
  get state(): { readonly used?: Used } {
    return this.#used ? { used: this.#used } : {};
  }

  /** What it has used, for whoever has called it as an agent; undefined when that is nothing. */
  get usage(): Usage | undefined {
    const { requests, inputTokens, outputTokens, cost } = this.used;
    if (requests + inputTokens + outputTokens + cost === 0) return undefined;
    return { requests, inputTokens, outputTokens, cost };
  }

  /**
   * A call has ended.
   *
   * @param use what it has used up; absent when a child has answered it, whose ending says what it has
   * @returns the event that tells it, when it has cost something and nobody below has told it already
   */
  count({ port, key }: OpenCall, ending: PortEnding, use?: CallUse): EventObject | undefined {
    if (use) {
      this.#used = withCall(this.used, use);
      return use.usage && usageRecorded(port, key, use.usage);
    }
    const usage = usageIn(ending);
    if (usage) this.#used = withUsage(this.used, usage);
    return undefined;
  }

  /** An agent of a workflow has said itself what it has used. Tokens that it does not tell apart count as those of answers. */
  countSaid({ tokens, inputTokens = 0, outputTokens = tokens, cost }: EventObject): void {
    const said = usageSchema.safeParse({
      requests: 0,
      inputTokens: whole(inputTokens),
      outputTokens: whole(outputTokens),
      cost,
    });
    if (said.success) this.#used = withUsage(this.used, said.data);
  }

  /** What of a budget a child may use up: what the call of it says, and not more than is left for its parent. */
  leftFor(
    said: RemainingBudget | undefined,
    parent: ParentRef | undefined,
  ): RemainingBudget | undefined {
    const given = parent?.remainingBudget;
    if (!given) return said;
    const { used } = this;
    const { tokens: mostTokens = Infinity, cost: mostCost = Infinity } = given;
    const tokens = Math.min(said?.tokens ?? Infinity, Math.max(0, mostTokens - tokensOf(used)));
    const cost = Math.min(said?.cost ?? Infinity, Math.max(0, mostCost - used.cost));
    return { ...(tokens < Infinity && { tokens }), ...(cost < Infinity && { cost }) };
  }

  /** Why it may make no more calls, of what is left for it of a budget; undefined when it may. */
  usedUp({ instance, remainingBudget: left = {} }: ParentRef): string | undefined {
    const because = (what: string, amount: number, most = Infinity) =>
      amount >= most
        ? `${JSON.stringify(instance)} had ${inFigures(most)} ${what} of its budget left for it, and it has used ${inFigures(amount)}.`
        : undefined;
    const { used } = this;
    return (
      because('tokens', tokensOf(used), left.tokens) ?? because('in money', used.cost, left.cost)
    );
  }
}

/** An agent may say anything, also a fraction. */
function whole(tokens: unknown): unknown {
  return typeof tokens === 'number' ? Math.round(tokens) : tokens;
}

import type { Path } from '@dramaturg/compiler';
import { authoredPart, type Part, partOf } from '../authored.ts';
import { parseDuration } from '../data/timestamp.ts';
import { parseMoney } from '../definition/budget.ts';
import { noFallback, noLimit, smallBudget } from '../diagnostics/blocks.ts';
import { statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** Reports budgets that use a fallback and have none. Spec: Agent 7 §Fallback */
export const budgetsWithoutFallback: WorkflowRule = ({ definition, report }) => {
  const budget = partOf(authoredPart(definition), 'Budget');
  if (!budget || budget.value['OnExceed'] !== 'UseFallback') return;
  if (definition.Budget!.Fallbacks.length === 0) {
    report(noFallback(), [...budget.at, 'OnExceed'], { follows: [[...budget.at, 'Fallback']] });
  }
};

/** Reports budgets without a limit. Spec: Agent 7 §Budget */
export const budgetsWithoutLimit: WorkflowRule = ({ definition, report }) => {
  const budget = partOf(authoredPart(definition), 'Budget');
  if (!budget) return;
  const limits = ['MaxCost', 'MaxTokens', 'MaxDuration', 'MaxCostPerHour', 'MaxCostPerDay', 'Pool'];
  if (!limits.some((limit) => Object.hasOwn(budget.value, limit))) {
    const about = limits.map((limit) => [...budget.at, limit]);
    report(noLimit(), budget.at, { at: 'key', about, follows: about });
  }
};

/** A limit that the author has written. */
interface Limit {
  /** `Budget.MaxTokens`, for people. */
  readonly name: string;
  readonly amount: number;
  readonly written: unknown;
  readonly at: Path;
}

/** A limit, and the other limits on the same call of a state. */
interface Comparison {
  readonly limit: Limit | undefined;
  readonly uses: readonly (Limit | undefined)[];
  readonly isOfWorkflow: boolean;
}

/**
 * Reports budgets that are smaller than another limit on the same call: the larger limit has no effect, or the run fails when
 * it is used. Spec: Agent 7 §Budget
 */
export const smallBudgets: WorkflowRule = ({ definition, report }) => {
  if (definition.dialect !== 'agent' || definition.isTemplate) return;
  const isStrict = definition.Budget?.OnExceed === 'Fail';
  const whole = isStrict ? partOf(authoredPart(definition), 'Budget') : undefined;
  for (const state of statesOf(definition))
    for (const { limit, uses, isOfWorkflow } of comparisonsOf(authoredPart(state), whole)) {
      const larger = uses.find((use) => use && limit && use.amount > limit.amount);
      if (!limit || !larger) continue;
      report(smallBudget(textOf(limit), textOf(larger), isOfWorkflow), larger.at, {
        related: [{ path: limit.at, message: 'This limit is smaller.' }],
      });
    }
};

function comparisonsOf(state: Part, whole: Part | undefined): readonly Comparison[] {
  const own = partOf(state, 'Budget');
  const input = limitIn(partOf(state, 'Context'), 'Context', 'MaxTokens');
  const output = limitIn(partOf(state, 'Generation'), 'Generation', 'MaxTokens');
  const budget = (field: string) => limitIn(own, 'Budget', field);
  const ofWorkflow = (field: string) => limitIn(whole, 'Budget', field);
  const parts = [budget('MaxInputTokens'), budget('MaxOutputTokens'), input, output];
  const within = (limit: Limit | undefined, uses: Comparison['uses'], isOfWorkflow = false) => ({
    limit,
    uses,
    isOfWorkflow,
  });
  return [
    within(budget('MaxInputTokens'), [input]),
    within(budget('MaxOutputTokens'), [output]),
    within(budget('MaxTokens'), parts),
    // If the state has its own limit, only that is compared with the limit of the workflow.
    within(ofWorkflow('MaxTokens'), budget('MaxTokens') ? [budget('MaxTokens')] : parts, true),
    within(ofWorkflow('MaxCost'), [budget('MaxCost')], true),
    within(ofWorkflow('MaxDuration'), [budget('MaxDuration')], true),
  ];
}

function limitIn(part: Part | undefined, owner: string, field: string): Limit | undefined {
  const written = part?.value[field];
  if (!part || written === undefined) return undefined;
  const amount = amountOf(field, written);
  return amount === undefined
    ? undefined
    : { name: `${owner}.${field}`, amount, written, at: [...part.at, field] };
}

function amountOf(field: string, written: unknown): number | undefined {
  if (field === 'MaxCost') return parseMoney(written);
  if (field === 'MaxDuration')
    return typeof written === 'string' ? parseDuration(written) : undefined;
  return typeof written === 'number' ? written : undefined;
}

function textOf({ name, written }: Limit): string {
  return `"${name}" (${String(written)})`;
}

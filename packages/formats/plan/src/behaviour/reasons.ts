import type { Json } from '@dramaturg/compiler';
import type { GuardReason, ReasonMaker } from '@dramaturg/compiler/format';
import { holds, keyOf } from '../conditions/condition.ts';
import { wordFor } from '../conditions/deliverable-value.ts';
import type { ConversationFacts } from '../conditions/kind.ts';
import { type Condition, conditionKinds } from '../conditions/table.ts';
import { own, type PlanContext } from '../context.ts';
import { isComplete, tasksToDo } from './completion.ts';
import { factsOf, mayEnter } from './guards.ts';
import { failedTasks } from './work.ts';
import { isCollected, type PlanScope, stateMeta } from './meta.ts';

type PlanReason<Params = unknown> = ReasonMaker<PlanContext, PlanScope['event'], Params>;

/** Why a condition holds or not: for a compound condition, the operands that decide. */
function because(scope: PlanScope, condition: Condition): GuardReason {
  const facts = factsOf(scope);
  const key = keyOf(condition);
  if (key !== undefined) return becauseOf(key, facts);
  if ('conditions' in condition) {
    const result = holds(condition, facts);
    const deciding = condition.conditions.filter((inner) => holds(inner, facts) === result);
    const reasons = deciding.map((inner) => because(scope, inner));
    const texts = [...new Set(reasons.map(({ text }) => text))];
    return {
      text: texts.length > 0 ? listed(texts) : 'it has no conditions',
      values: Object.assign({}, ...reasons.map(({ values }) => values)) as Record<string, Json>,
    };
  }
  switch (condition.type) {
    case 'turn_count_exceeded': {
      const { scope: counts, turns } = condition;
      const count = counts === 'total' ? facts.turns : facts.idleTurns;
      const kind = counts === 'total' ? 'turns' : 'turns without progress';
      return { text: `there were ${count} of ${turns} ${kind}` };
    }
    case 'goal_achieved':
      return { text: facts.isGoalAchieved() ? 'the goal is achieved' : 'the goal is not achieved' };
    case 'task_failed': {
      const reasonsOf = failedTasks(scope).map(([task, why]) => `"${task}" failed: ${why}`);
      return { text: reasonsOf.length > 0 ? listed(reasonsOf) : 'no task failed' };
    }
    default:
      return becauseOfTasks(scope);
  }
}

function becauseOf(key: string, { valueOf }: ConversationFacts): GuardReason {
  const value = valueOf(key) ?? null;
  const isMissing = value === null || value === '';
  return {
    text: isMissing ? `${key} is missing` : `${key} is ${wordFor(value)}`,
    values: { [key]: value },
  };
}

function becauseOfTasks(scope: PlanScope): GuardReason {
  const { context } = scope;
  const toDo = tasksToDo(scope);
  if (toDo.length === 0)
    return { text: isComplete(scope) ? 'all tasks are done' : 'the person has not answered yet' };
  const lacking = toDo.map(({ description, id, deliverables }) => {
    const keys = deliverables
      .filter(({ key, required }) => required && !isCollected(context, key))
      .map(({ key }) => key);
    return { keys, name: `"${description || id}"` };
  });
  const keys = [...new Set(lacking.flatMap((task) => task.keys))];
  const undone = lacking.filter((task) => task.keys.length === 0).map(({ name }) => name);
  const parts = [
    ...(keys.length > 0 ? [missing(keys)] : []),
    ...(undone.length > 0
      ? [`${listed(undone)} ${undone.length > 1 ? 'are' : 'is'} not done`]
      : []),
  ];
  return { text: listed(parts), values: Object.fromEntries(keys.map((key) => [key, null])) };
}

function missing(keys: readonly string[]): string {
  return `${listed(keys)} ${keys.length > 1 ? 'are' : 'is'} missing`;
}

let list: Intl.ListFormat | undefined;

/** The list format is created when a reason is first asked for: it loads locale data, which takes longer than checking a plan. */
function listed(words: readonly string[]): string {
  list ??= new Intl.ListFormat('en-GB');
  return list.format(words);
}

/** A transition never leads into a state that this step has already been in. */
function returning(to: string, { context, meta }: PlanScope): GuardReason | undefined {
  if (mayEnter(context, to)) return undefined;
  return { text: `"${stateMeta(meta, to).title || to}" was left or entered in this step already` };
}

const conditionReasons = Object.fromEntries(
  conditionKinds.map(({ type }) => {
    const reason: ReasonMaker<PlanContext, PlanScope['event'], { to: string }> = (
      scope,
      { to, ...terms },
    ) => returning(to, scope) ?? because(scope, { type, ...terms } as Condition);
    return [type, reason];
  }),
);

const hasData: PlanReason<{ keys: readonly string[] }> = ({ context }, { keys }, result) => {
  const values = Object.fromEntries(
    keys.map((key) => [key, own(context.deliverables, key)?.value ?? null]),
  );
  const absent = keys.filter((key) => !isCollected(context, key));
  if (keys.length === 0) return undefined;
  if (absent.length > 0) return { text: missing(absent), values };
  return result
    ? { text: `${listed(keys)} ${keys.length > 1 ? 'are' : 'is'} known`, values }
    : { text: 'the person has not answered since the state was entered again', values };
};

const idleTurns: PlanReason<{ turns: number; to: string }> = (scope, { turns, to }) =>
  returning(to, scope) ?? {
    text: `there were ${scope.context.visit.idleTurns} of ${turns} turns without progress`,
  };

export const reasons: Readonly<Record<string, ReasonMaker>> = {
  ...conditionReasons,
  hasData,
  idleTurns,
};

import type { Json } from '@dramaturg/compiler';
import type { Guard, GuardReason, ReasonMaker } from '@dramaturg/compiler/format';
import { summaryBehaviour, tellingLines } from '@dramaturg/conversation';
import { conditionParams, eachCondition, holds, inWords, keyOf } from '../conditions/condition.ts';
import { wordFor } from '../conditions/deliverable-value.ts';
import type { ConversationFacts } from '../conditions/kind.ts';
import { type Condition, conditionKinds } from '../conditions/table.ts';
import { noDigressions, own, type PlanContext } from '../context.ts';
import { end, goalMarker, human } from '../definition.ts';
import { requiredKeys } from '../plan-graph.ts';
import { anyText, comparedType, sameValue } from '../value.ts';
import { openQuestion, openTasks } from './questions.ts';
import {
  ahead,
  currentState,
  declarationOf,
  deliverablesOf,
  hasData,
  inForce,
  isCollected,
  isComplete,
  isDeclaredHere,
  isGoalAchieved,
  isPassedOver,
  isReopened,
  type PlanGuard,
  planMeta,
  type PlanScope,
  stateMeta,
  type TaskMeta,
  tasksAhead,
  taskStatus,
  tasksToDo,
} from './state.ts';
import { failedTasks, workGuards } from './work.ts';

/** A condition as the guard of a transition to `to`. It does not enter a state that this pass has been in. */
function transitionGuard(
  type: Condition['type'],
): Guard<PlanContext, PlanScope['event'], { to: string }> {
  return (scope, { to, ...params }) => {
    const condition = { type, ...params } as Condition;
    if (!mayEnter(scope.context, to)) return false;
    // A person takes over only once for the same values.
    if (to === human && scope.context.handed?.includes(occasionOf(scope, condition))) return false;
    return holds(condition, factsOf(scope), scope.world.onOperand);
  };
}

/** Identifies a condition with the values that it reads; without values, with the state. */
export function occasionOf(scope: PlanScope, condition: Condition): string {
  const { valueOf } = factsOf(scope);
  const values = eachCondition(condition).flatMap((one) => {
    const key = keyOf(one);
    return key === undefined ? [] : [valueOf(key) ?? null];
  });
  const place = values.length > 0 ? values : scope.context.state;
  return JSON.stringify([condition.type, conditionParams(condition), place]);
}

/** Whether the values of an occasion are still the same. When they have changed, it may happen again. */
export function isCurrent(scope: PlanScope, occasion: string): boolean {
  const [type, params, place] = JSON.parse(occasion) as [string, object, unknown];
  return !Array.isArray(place) || occasionOf(scope, { type, ...params } as Condition) === occasion;
}

/** Whether the state has only answers that have led to a person. It asks again. */
function isStuck(scope: PlanScope): boolean {
  const state = currentState(scope);
  if (state.on_reentry === 'keep' || openTasks(scope).length > 0) return false;
  const asked = deliverablesOf(state).map(({ key }) => key);
  return (scope.context.handed ?? []).some((occasion) => {
    const [type, params] = JSON.parse(occasion) as [string, object];
    const keys = eachCondition({ type, ...params } as Condition).map(keyOf);
    return keys.some((key) => asked.includes(key!)) && isCurrent(scope, occasion);
  });
}

function mayEnter(context: PlanContext, to: string): boolean {
  return !context.visited.includes(to);
}

/** The facts about the conversation that conditions read. */
export function factsOf(scope: PlanScope): ConversationFacts {
  const { turns, idleTurns, idleBefore = 0, digressions = noDigressions } = scope.context.visit;
  const recordOf = (key: string) => inForce(scope, { key, ...declarationOf(scope, key) });
  return {
    valueOf: (key) => recordOf(key)?.value,
    hasValue: (key, values) => {
      const record = recordOf(key);
      if (!record) return false;
      const { type } = comparedType(declarationOf(scope, key) ?? anyText);
      return values.some((value) => sameValue(record.value, value, type));
    },
    isInGoalState: () => currentState(scope).type === 'goal',
    isComplete: () => isComplete(scope),
    isGoalAchieved: () => isGoalAchieved(scope),
    hasFailed: (task) => failedTasks(scope).some(([id]) => task === undefined || id === task),
    turns: turns + idleBefore,
    idleTurns: idleTurns + idleBefore,
    digressions,
  };
}

const conditionGuards = Object.fromEntries(
  conditionKinds.map(({ type }) => [type, transitionGuard(type)]),
) as Readonly<Record<Condition['type'], ReturnType<typeof transitionGuard>>>;

const trueWords = new Set(['true', 'yes', '1', 'done', 'completed', 'complete', 'achieved', 'met']);

/** Whether the value of the goal's marker says that it is reached. */
function saysAchieved(value: unknown): boolean {
  const isWord = typeof value === 'string' && trueWords.has(value.trim().toLowerCase());
  return value === true || value === 1 || isWord;
}

function hasKey(task: TaskMeta, key: unknown): boolean {
  return task.deliverables.some((deliverable) => deliverable.key === key);
}

/** Whether an early message says something by itself. */
function saysSomething(scope: PlanScope): boolean {
  const { early, message } = scope.context;
  return !early || tellingLines(message ?? '', openQuestion(scope)) !== '';
}

/** Whether an update from outside has led to another state, whose question the agent is to ask. */
function isOverdue({ context }: Pick<PlanScope, 'context'>): boolean {
  const { updatedIn = context.state, state, message, asked, handOver } = context;
  const isMoved = updatedIn !== state && state !== end;
  return isMoved && message === null && asked !== undefined && handOver === undefined;
}

export const guards = {
  ...conditionGuards,

  /** Holds after the turns of the compile option `idleTurnLimit`. */
  idleTurns: ({ context }, { turns, to }: { turns: number; to: string }) =>
    mayEnter(context, to) && context.visit.idleTurns + (context.visit.idleBefore ?? 0) >= turns,

  /** Whether a correction changes a decision to this target. */
  leadsTo: ({ event }, { to }: { to: string }) => event['to'] === to,
  isFor: ({ event }, { keys }: { keys: readonly string[] }) =>
    keys.includes(event['key'] as string),
  hasData: ({ context }, { keys }: { keys: readonly string[] }) => hasData(context, keys),
  isTask: ({ event }, { task }: { task: string }) => event['task'] === task,
  /** A task may be completed unless a required deliverable of it is missing. */
  mayComplete: ({ context, event }, { task, keys }: { task: string; keys: readonly string[] }) =>
    event['task'] === task && keys.every((key) => isCollected(context, key)),

  isForLaterTask: (scope, { task }: { task: string }) =>
    tasksAhead(currentState(scope), task).some((later) => hasKey(later, scope.event['key'])),
  isLaterTask: (scope, { task }: { task: string }) =>
    tasksAhead(currentState(scope), task).some(
      ({ id, deliverables }) =>
        id === scope.event['task'] &&
        requiredKeys(deliverables).every((key) => isCollected(scope.context, key)),
    ),
  isPassedOver: (scope, { task }: { task: string }) => isPassedOver(scope, task),

  /** A known value may be corrected in any state, and a completed task may receive more values. */
  mayBeAmended: (scope) => {
    const { context, event } = scope;
    const key = event['key'] as string;
    if (planMeta(scope.meta).deliverables?.some((one) => one.key === key)) return true;
    if (isCollected(context, key) || (isReopened(context, key) && !isDeclaredHere(scope, key)))
      return declarationOf(scope, key) !== undefined;
    return currentState(scope).tasks.some(
      (task) => taskStatus(context, context.state, task.id) !== undefined && hasKey(task, key),
    );
  },
  /** The value is for a later task or state. */
  isAhead: (scope) => ahead(scope).has(scope.event['key'] as string),
  /** The task is in this state, or in one that was entered before, and needs no more work. */
  isDone: ({ context: { tasks }, event }) =>
    Object.values(tasks).some((statuses) => own(statuses, event['task'] as string) !== undefined),

  isTaskHere: (scope) => currentState(scope).tasks.some(({ id }) => id === scope.event['task']),
  isGoalMarker: ({ event }) => event['key'] === goalMarker,
  achievesGoal: ({ event }) => event['key'] === goalMarker && saysAchieved(event['value']),

  hasUnchecked: ({ context: { unchecked = [] } }) => unchecked.length > 0,
  ...workGuards,
  ...summaryBehaviour.guards,
  /** A message is being answered, and not only an update recorded. */
  owesReply: (scope) => {
    const { message, worked, resumed } = scope.context;
    return message !== null || worked === true || resumed === true || isOverdue(scope);
  },
  isOverdue,
  isStuck,
  personOpens: ({ context }) => context.opening === 'person',
  hasEnded: ({ context }) => context.state === end,
  /** The plan has ended since the call was made. A reply to an ended plan that failed must still be sent. */
  hasEndedMeanwhile: ({ context }) => context.state === end && context.addressed !== end,
  hasFarewell: ({ context, meta }) =>
    context.state === end && planMeta(meta).farewell_message !== undefined,
  /** A message could answer, correct, or finish something. */
  hasQuestions: (scope) =>
    saysSomething(scope) &&
    (currentState(scope).tasks.length > 0 ||
      currentState(scope).type === 'goal' ||
      ahead(scope).size > 0 ||
      Object.keys(scope.context.deliverables).length > 0),
  hasMore: ({ context }) => context.more === true && context.state !== end,
} satisfies Readonly<Record<string, PlanGuard>>;

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
      const count = condition.scope === 'total' ? facts.turns : facts.idleTurns;
      return { text: `there were ${count} of ${inWords(condition)}` };
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
  const word = value === null || value === '' ? 'missing' : wordFor(value);
  return { text: `${key} is ${word}`, values: { [key]: value } };
}

function becauseOfTasks(scope: PlanScope): GuardReason {
  const { context } = scope;
  const toDo = tasksToDo(scope);
  if (toDo.length === 0)
    return { text: isComplete(scope) ? 'all tasks are done' : 'the person has not answered yet' };
  const lacking = toDo.map(({ description, id, deliverables }) => ({
    keys: requiredKeys(deliverables).filter((key) => !isCollected(context, key)),
    name: `"${description || id}"`,
  }));
  const keys = [...new Set(lacking.flatMap((task) => task.keys))];
  const undone = lacking.filter((task) => task.keys.length === 0).map(({ name }) => name);
  const parts = [...are(keys, 'missing'), ...are(undone, 'not done')];
  return { text: listed(parts), values: Object.fromEntries(keys.map((key) => [key, null])) };
}

/** `budget and date are missing`; nothing without names. */
function are(names: readonly string[], what: string): string[] {
  return names.length > 0 ? [`${listed(names)} ${names.length > 1 ? 'are' : 'is'} ${what}`] : [];
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

/** Why a guard holds or not. */
export const reasons: Readonly<Record<string, ReasonMaker>> = {
  ...Object.fromEntries(
    conditionKinds.map(({ type }) => {
      const reason: PlanReason<{ to: string }> = (scope, { to, ...terms }) =>
        returning(to, scope) ?? because(scope, { type, ...terms } as Condition);
      return [type, reason];
    }),
  ),
  hasData: ({ context }: PlanScope, { keys }: { keys: readonly string[] }, result) => {
    const values = Object.fromEntries(
      keys.map((key) => [key, own(context.deliverables, key)?.value ?? null]),
    );
    const absent = keys.filter((key) => !isCollected(context, key));
    if (keys.length === 0) return undefined;
    const [text] = absent.length > 0 ? are(absent, 'missing') : result ? are(keys, 'known') : [];
    return text
      ? { text, values }
      : { text: 'the person has not answered since the state was entered again', values };
  },
  idleTurns: (scope: PlanScope, { turns, to }: { turns: number; to: string }) =>
    returning(to, scope) ?? {
      text: `there were ${scope.context.visit.idleTurns} of ${turns} turns without progress`,
    },
};

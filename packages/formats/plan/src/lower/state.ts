import type { JsonObject } from '@dramaturg/compiler';
import {
  type ChartNode,
  type ChartTransition,
  nodeKey,
  operandsMeta,
} from '@dramaturg/compiler/chart';
import { handOverMeta } from '@dramaturg/conversation';
import {
  conditionParams,
  inWords,
  operandsIn,
  withDeclaredValues,
} from '../conditions/condition.ts';
import type { Condition, ConditionType } from '../conditions/table.ts';
import {
  type Deliverable,
  end,
  goalTask,
  human,
  type Plan,
  restart,
  type State,
  type Task,
  type Transition,
  withoutPlaces,
} from '../definition.ts';
import { internal, stateNode } from '../names.ts';
import {
  type DeclarationFinder,
  deliverablesOf,
  requiredKeys,
  targetsOf,
  transitionsOf,
} from '../plan-graph.ts';
import type { PlanOptions } from '../shape.ts';
import { action, guard } from './references.ts';

/** A state of the plan: its transitions are one ordered list, and its tasks are the nodes within. */
export function lowerState(state: State, plan: PlanOfState): ChartNode {
  const { id, description } = state;
  const transitions = lowerTransitions(state, plan);
  // Asks again when a person has returned the conversation, and nothing else is left to do.
  const again = { target: nodeKey(id), reenter: true, guard: guard('isStuck') };
  const asksAgain = targetsOf(plan.plan, state).includes(human);
  const { entry = [], on, ...inner } = lowerTasks(state, plan.options);
  return {
    id: stateNode(id),
    ...(description ? { description } : {}),
    entry: [action('enterState', { state: id }), ...entry],
    on: {
      [internal.evaluate]: [
        ...transitions,
        ...(asksAgain ? [{ ...again, actions: [action('settle')] }] : []),
      ],
      ...on,
    },
    meta: { ...metaOf(state, plan), ...decisionOf(transitions, plan) },
    ...inner,
  };
}

/** The fields of a state that guards and prompts read. */
function metaOf(state: State, { plan, options, next }: PlanOfState): JsonObject {
  const { at, transitions, description, ...rest } = state;
  const targets = [...targetsOf(plan, state)];
  if (options.idleTurnLimit !== undefined && next !== undefined) targets.push(next);
  const leadsTo = [...new Set(targets)].filter(
    (target) => ![end, human, state.id].includes(target),
  );
  return {
    origin: at,
    ...withoutPlaces({
      ...rest,
      description: description || undefined,
      terminal: transitions.length === 0 || undefined,
      leads_to: leadsTo.length === 0 ? undefined : leadsTo,
    }),
  };
}

/** The decision that a correction repeats: a single target leaves nothing to decide. */
function decisionOf(transitions: readonly ChartTransition[], { plan }: PlanOfState): JsonObject {
  const decides = transitions.map(({ guard: condition, actions = [] }) => {
    const { type, params = {} } = condition as { type: string; params?: JsonObject };
    const { outcome, reason } = Object(actions.at(-1)?.params) as JsonObject;
    const to = params['to'] as string;
    return { to, guard: { type, params }, ...(outcome && { outcome }), ...(reason && { reason }) };
  });
  const isOpen = new Set(decides.map(({ to }) => to)).size > 1;
  return isOpen && plan.on_correction !== 'keep' ? { decides } : {};
}

function lowerTasks(state: State, options: PlanOptions): ChartNode {
  if (state.type === 'goal') return goalNode(state);
  if (state.tasks.length === 0) return { tags: ['resting'] };
  return state.type === 'strict' && options.strictness === 'enforced'
    ? sequence(state)
    : regions(state);
}

/** Strict: one task after another. Spec: docs/formats/plan.md#strict */
function sequence(state: State): ChartNode {
  const { tasks } = state;
  const lastRequired = tasks.findLastIndex(({ required }) => required);
  const nodes = tasks.map((task, index): [string, ChartNode] => {
    const following = tasks[index + 1];
    const next = following ? taskKey(following.id) : doneKey;
    return [taskKey(task.id), sequenceNode(state, task, next, index > lastRequired)];
  });
  return {
    initial: taskKey(tasks[0]!.id),
    states: { ...Object.fromEntries(nodes), [doneKey]: { tags: ['resting'] } },
  };
}

/**
 * The current task of a sequence. An optional task does not block later ones: a value for a later task, up to the next
 * required one, is recorded, and the optional task is then skipped.
 */
function sequenceNode(
  state: State,
  task: Task,
  next: string,
  onlyOptionalLeft: boolean,
): ChartNode {
  const { id, required } = task;
  const params = { task: id };
  const on = accepting(task, next);
  return {
    ...described(task),
    tags: ['resting'],
    ...countingVolunteered(task.deliverables, { task: id }),
    always: [
      { target: next, guard: hasData(task), actions: [completeTask(task)] },
      ...(required ? [] : [{ target: next, guard: guard('isPassedOver', params) }]),
    ],
    on: {
      ...on,
      ...(!required && {
        [internal.set]: [
          ...on[internal.set],
          { guard: guard('isForLaterTask', params), actions: [action('collect')] },
        ],
        [internal.complete]: [
          ...on[internal.complete],
          { guard: guard('isLaterTask', params), actions: [action('completeNamedTask')] },
        ],
        [internal.skip]: [skipping(task, next)],
      }),
      ...(onlyOptionalLeft && {
        [internal.skipState]: [
          { target: doneKey, actions: [action('skipRest', { state: state.id })] },
        ],
      }),
    },
    meta: { origin: task.at, title: task.description },
  };
}

/** Loose: every task is open at the same time. Spec: docs/formats/plan.md#loose */
function regions(state: State): ChartNode {
  return {
    type: 'parallel',
    ...countingVolunteered(state.tasks.flatMap(({ deliverables }) => deliverables)),
    states: Object.fromEntries(state.tasks.map((task) => [nodeKey(task.id), region(task)])),
  };
}

function region(task: Task): ChartNode {
  return {
    ...described(task),
    initial: 'open',
    meta: { origin: task.at, title: task.description },
    states: {
      open: {
        tags: ['resting'],
        always: [{ target: 'completed', guard: hasData(task), actions: [completeTask(task)] }],
        on: {
          ...accepting(task, 'completed'),
          [internal.skip]: [skipping(task, 'skipped')],
          [internal.skipState]: [{ target: 'skipped', actions: [skipTask(task)] }],
        },
      },
      completed: { tags: ['resting'] },
      // Later values for a skipped task are still recorded.
      skipped: { tags: ['resting'], on: accepting(task, 'completed') },
    },
  };
}

/** Goal: pursued until it is achieved; all values that the person gives are kept. Spec: docs/formats/plan.md#goal-states */
function goalNode(state: State): ChartNode {
  const declared = deliverablesOf(state).map(({ deliverable }) => deliverable);
  const keys = [...new Set(declared.map(({ key }) => key))];
  return {
    initial: 'pursuing',
    ...countingVolunteered(declared),
    on: {
      [internal.set]: [
        { guard: guard('isFor', { keys }), actions: [action('collect')] },
        { guard: guard('mayBeAmended'), actions: [action('collect')] },
        { guard: guard('isAhead'), actions: [action('volunteer')] },
        { actions: [action('discover')] },
      ],
      // The tasks of a goal only help to reach it: completing one changes nothing.
      [internal.complete]: [{ guard: guard('isTaskHere'), actions: [] }],
    },
    states: {
      pursuing: {
        tags: ['resting'],
        on: {
          [internal.set]: [
            {
              target: 'achieved',
              guard: guard('achievesGoal'),
              actions: [action('completeTask', { task: goalTask })],
            },
            { guard: guard('isGoalMarker'), actions: [] },
          ],
        },
      },
      achieved: { tags: ['resting'] },
    },
  };
}

const doneKey = 'done';

/** In a sequence the key `done` is reserved. */
function taskKey(id: string): string {
  return id === doneKey ? '%64one' : nodeKey(id);
}

/** Values said before their turn count when the state, or the task of a sequence, is entered. */
function countingVolunteered(
  { length }: readonly Deliverable[],
  of: { task?: string } = {},
): Pick<ChartNode, 'entry'> {
  return length === 0 ? {} : { entry: [action('countVolunteered', of)] };
}

function described({ agent, instruction }: Task): Pick<ChartNode, 'description'> {
  const lines = [agent === undefined ? '' : `Done by ${agent}.`, instruction].filter(Boolean);
  return lines.length > 0 ? { description: lines.join(' ') } : {};
}

/** A task is complete once its required deliverables are known; without required ones, once all are known. */
function hasData(task: Task) {
  const required = requiredKeys(task.deliverables);
  const keys = required.length > 0 ? required : task.deliverables.map(({ key }) => key);
  return guard('hasData', { keys });
}

/** Takes the values of a task, and that it is done. */
function accepting(task: Task, completed: string) {
  const keys = task.deliverables.map(({ key }) => key);
  const mayComplete = guard('mayComplete', {
    task: task.id,
    keys: requiredKeys(task.deliverables),
  });
  return {
    [internal.set]: [{ guard: guard('isFor', { keys }), actions: [action('collect')] }],
    [internal.complete]: [{ target: completed, guard: mayComplete, actions: [completeTask(task)] }],
  };
}

function skipping(task: Task, target: string): ChartTransition {
  return { target, guard: guard('isTask', { task: task.id }), actions: [skipTask(task)] };
}

function completeTask(task: Task) {
  return action('completeTask', { task: task.id });
}

function skipTask(task: Task) {
  return action('skipTask', { task: task.id });
}

/** The parts of the plan that the nodes of a state depend on. */
interface PlanOfState {
  readonly plan: Plan;
  readonly options: PlanOptions;
  readonly declarationOf: DeclarationFinder;
  /** Id of the next state in the list. */
  readonly next: string | undefined;
}

/**
 * The transitions of a state, in the order in which they are tried. Completion is a guard among the others and not
 * XState's own `onDone`, so that priorities order all of them. Spec: docs/formats/plan.md#transitions
 */
function lowerTransitions(
  state: State,
  { plan, declarationOf, options, next }: PlanOfState,
): ChartTransition[] {
  const ending = state.transitions.length > 0 ? [] : [endingOf(state)];
  const authored = [...transitionsOf(plan, state), ...ending];
  const lowered = authored.map((transition) =>
    lowerTransition(state, transition, { plan, declarationOf }),
  );
  const { idleTurnLimit: turns } = options;
  if (turns === undefined) return lowered;
  return [...lowered, moveTo(next ?? end, state, { type: 'idleTurns', params: { turns } }, plan)];
}

/** A state without transitions ends the conversation when it is complete. */
function endingOf(state: State): Transition {
  return {
    target_state_id: end,
    priority: 1,
    condition: { type: state.type === 'goal' ? 'goal_achieved' : 'all_tasks_complete' },
    at: state.at,
  };
}

function lowerTransition(
  state: State,
  transition: Transition,
  { plan, declarationOf }: Pick<PlanOfState, 'plan' | 'declarationOf'>,
): ChartTransition {
  const { target_state_id: target, condition, priority, reason, at } = transition;
  // `lower` is called only for plans without errors, so every condition was read.
  const typed = withDeclaredValues(condition!, (key) => declarationOf(state, key));
  const { type } = typed;
  const params = conditionParams(typed);
  const handOver = { condition: { ...params, type } as Condition, ...(reason && { reason }) };
  return {
    ...(target === human
      ? // The plan stays in its state.
        { guard: guard(type, { ...params, to: target }), actions: [action('handOver', handOver)] }
      : moveTo(target, state, { type, params }, plan, transition.outcome)),
    description:
      state.transitions.length > 1 || 'except_states' in transition
        ? `${priority}: ${inWords(typed)}`
        : inWords(typed),
    meta: {
      origin: at,
      ...operandsMeta(operandsIn(typed, at)),
      ...(target === human && handOverMeta),
    },
  };
}

interface When {
  readonly type: ConditionType | 'idleTurns';
  readonly params: JsonObject;
}

/** The guard gets the target of its transition: no state is entered twice between two events from outside. */
function moveTo(
  to: string,
  { id: from }: State,
  { type, params }: When,
  { initial_state_id: initial }: Plan,
  outcome?: string,
): ChartTransition {
  const isRestart = to === restart;
  const entered = isRestart ? initial : to;
  const follow = action('follow', { from, to, ...(outcome && !isRestart && { outcome }) });
  return {
    target: nodeKey(entered),
    guard: guard(type, { ...params, to }),
    actions: isRestart ? [action('restart'), follow] : [follow],
    ...(entered === from ? { reenter: true } : {}),
  };
}

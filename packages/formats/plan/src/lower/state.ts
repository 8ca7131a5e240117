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
import { type DeclarationFinder, deliverablesOf } from '../declarations.ts';
import {
  type Deliverable,
  end,
  goalTask,
  human,
  type Plan,
  type PlanOptions,
  restart,
  type State,
  type Task,
  type Transition,
  withoutPlaces,
} from '../definition.ts';
import { internal, stateNode } from '../names.ts';
import { targetsOf, transitionsOf } from '../plan-graph.ts';
import { action, guard } from './references.ts';

/** A state of the plan: its transitions are one ordered list, and its tasks are the nodes within. */
export function lowerState(state: State, plan: PlanOfState): ChartNode {
  const transitions = lowerTransitions(state, plan);
  const shell: ChartNode = {
    id: stateNode(state.id),
    ...(state.description ? { description: state.description } : {}),
    entry: [action('enterState', { state: state.id })],
    on: { [internal.evaluate]: [...transitions, ...askedAgain(state, plan)] },
    meta: { ...metaOf(state, plan), ...decisionOf(transitions, plan) },
  };
  const { entry = [], ...inner } = lowerTasks(state, plan.options);
  return {
    ...shell,
    ...inner,
    entry: [...(shell.entry ?? []), ...entry],
    on: { ...shell.on, ...inner.on },
  };
}

/** Asks again when a person has returned the conversation, and nothing else is left to do. */
function askedAgain(state: State, { plan }: PlanOfState): ChartTransition[] {
  if (!targetsOf(plan, state).includes(human)) return [];
  const again = { target: nodeKey(state.id), reenter: true, guard: guard('isStuck') };
  return [{ ...again, actions: [action('settle')] }];
}

/** The fields of a state that guards and prompts read. */
function metaOf(
  state: State,
  { plan, options, next }: PlanOfState,
): NonNullable<ChartNode['meta']> {
  const { at, transitions, description: _, ...rest } = state;
  const targets = [...targetsOf(plan, state)];
  if (options.idleTurnLimit !== undefined && next !== undefined) targets.push(next);
  const leadsTo = [...new Set(targets)].filter(
    (target) => ![end, human, state.id].includes(target),
  );
  return {
    origin: at,
    ...withoutPlaces(rest),
    ...(state.description ? { description: state.description } : {}),
    ...(transitions.length === 0 ? { terminal: true } : {}),
    ...(leadsTo.length === 0 ? {} : { leads_to: leadsTo }),
  };
}

/** The decision that a correction repeats: a single target leaves nothing to decide. */
function decisionOf(
  transitions: readonly ChartTransition[],
  { plan }: PlanOfState,
): NonNullable<ChartNode['meta']> {
  const decides = transitions.flatMap(({ guard: condition, actions = [] }) => {
    const { type, params = {} } = condition as { type: string; params?: JsonObject };
    const { outcome, reason } = Object(actions.at(-1)?.params) as JsonObject;
    const to = params['to'] as string;
    return [
      { to, guard: { type, params }, ...(outcome && { outcome }), ...(reason && { reason }) },
    ];
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
  const ahead = required
    ? []
    : [{ guard: guard('isForLaterTask', params), actions: [action('collect')] }];
  const aheadDone = required
    ? []
    : [{ guard: guard('isLaterTask', params), actions: [action('completeNamedTask')] }];
  const passOver = required ? [] : [{ target: next, guard: guard('isPassedOver', params) }];
  return {
    ...described(task),
    tags: ['resting'],
    ...countingVolunteered(task.deliverables, { task: id }),
    always: [{ target: next, guard: hasData(task), actions: [completeTask(task)] }, ...passOver],
    on: {
      [internal.set]: [accept(task), ...ahead],
      [internal.complete]: [
        { target: next, guard: mayComplete(task), actions: [completeTask(task)] },
        ...aheadDone,
      ],
      ...(required
        ? {}
        : { [internal.skip]: [{ target: next, guard: isTask(task), actions: [skipTask(task)] }] }),
      ...(onlyOptionalLeft
        ? {
            [internal.skipState]: [
              { target: doneKey, actions: [action('skipRest', { state: state.id })] },
            ],
          }
        : {}),
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
          [internal.set]: [accept(task)],
          [internal.complete]: [
            { target: 'completed', guard: mayComplete(task), actions: [completeTask(task)] },
          ],
          [internal.skip]: [{ target: 'skipped', guard: isTask(task), actions: [skipTask(task)] }],
          [internal.skipState]: [{ target: 'skipped', actions: [skipTask(task)] }],
        },
      },
      completed: { tags: ['resting'] },
      // Later values for a skipped task are still recorded.
      skipped: {
        tags: ['resting'],
        on: {
          [internal.set]: [accept(task)],
          [internal.complete]: [
            { target: 'completed', guard: mayComplete(task), actions: [completeTask(task)] },
          ],
        },
      },
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
  const required = requiredKeys(task);
  const keys = required.length > 0 ? required : task.deliverables.map(({ key }) => key);
  return guard('hasData', { keys });
}

function mayComplete(task: Task) {
  return guard('mayComplete', { task: task.id, keys: requiredKeys(task) });
}

function requiredKeys(task: Task): string[] {
  return task.deliverables.filter(({ required }) => required).map(({ key }) => key);
}

function isTask(task: Task) {
  return guard('isTask', { task: task.id });
}

function accept(task: Task): ChartTransition {
  return {
    guard: guard('isFor', { keys: task.deliverables.map(({ key }) => key) }),
    actions: [action('collect')],
  };
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
  return options.idleTurnLimit === undefined
    ? lowered
    : [
        ...lowered,
        moveTo(next ?? end, state, { type: 'idleTurns', params: { turns: options.idleTurnLimit } }),
      ];
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
  {
    plan: { initial_state_id: initial },
    declarationOf,
  }: Pick<PlanOfState, 'plan' | 'declarationOf'>,
): ChartTransition {
  const { target_state_id: target, condition, priority, at } = transition;
  // `lower` is called only for plans without errors, so every condition was read.
  const typed = withDeclaredValues(condition!, (key) => declarationOf(state, key));
  const when = { type: typed.type, params: conditionParams(typed) };
  return {
    ...(target === human
      ? handOverTo(transition, when)
      : target === restart
        ? restartFrom(state, initial, when)
        : moveTo(target, state, when, transition.outcome)),
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

/** Hands over to a person. The plan stays in its state. */
function handOverTo(
  { reason }: Transition,
  when: When & { readonly type: ConditionType },
): ChartTransition {
  return {
    guard: guard(when.type, { ...when.params, to: human }),
    actions: [
      action('handOver', {
        condition: { ...when.params, type: when.type } as Condition,
        ...(reason && { reason }),
      }),
    ],
  };
}

function restartFrom(from: State, initial: string, when: When): ChartTransition {
  return {
    target: nodeKey(initial),
    guard: guard(when.type, { ...when.params, to: restart }),
    actions: [action('restart'), action('follow', { from: from.id, to: restart })],
    ...(initial === from.id ? { reenter: true } : {}),
  };
}

interface When {
  readonly type: ConditionType | 'idleTurns';
  readonly params: JsonObject;
}

/** The guard gets the target of its transition: no state is entered twice between two events from outside. */
function moveTo(target: string, from: State, condition: When, outcome?: string): ChartTransition {
  return {
    target: nodeKey(target),
    guard: guard(condition.type, { ...condition.params, to: target }),
    actions: [action('follow', { from: from.id, to: target, ...(outcome && { outcome }) })],
    ...(target === from.id ? { reenter: true } : {}),
  };
}

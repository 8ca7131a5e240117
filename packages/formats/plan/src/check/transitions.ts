import { loopsOf, reachableFrom } from '@dramaturg/compiler/chart';
import { didYouMean, quotedList } from '@dramaturg/compiler/text';
import { createOtherTargetCheck, reportDuplicates } from '@dramaturg/conversation';
import {
  alwaysHolds,
  eachCondition,
  excludes,
  implies,
  inWords,
  isSameCondition,
  keyOf,
} from '../conditions/condition.ts';
import type { Condition } from '../conditions/table.ts';
import {
  end,
  human,
  type PlanRule,
  reservedId,
  reservedIds,
  restart,
  type Transition,
} from '../definition.ts';
import {
  allDeliverables,
  loopsWithoutEnd,
  planGraph,
  type TypedTransition,
  typedTransitions,
  unknownFrom,
} from '../plan-graph.ts';
import { error, info, misread, warning } from '../problems.ts';

const duplicateState = error('duplicate-state', (id: string) => ({
  message: `There is more than one state "${id}".`,
  hint: 'Give each state an id of its own.',
}));

/** Reports state ids that are used twice or reserved. */
export const duplicateStates: PlanRule = ({ definition, report }) => {
  const named = definition.states.map(({ id, at }) => ({ name: id, path: [...at, 'id'] }));
  reportDuplicates(named, duplicateState, report);
  for (const { name, path } of named)
    if (reservedIds.includes(name)) report(reservedId('id of a state', name), path);
};

const unknownInitialState = error(
  'unknown-initial-state',
  (id: string, known: readonly string[]) => ({
    message: `The plan begins in the state "${id}", which does not exist.`,
    hint: () =>
      didYouMean(id, known) ?? 'Leave "initial_state_id" out to begin in the first state.',
  }),
);

/** Reports an `initial_state_id` that names no state of the plan. */
export const unknownInitialStates: PlanRule = ({ definition, report }) => {
  const known = definition.states.map(({ id }) => id);
  const { initialAt, initial_state_id: id } = definition;
  if (initialAt && !known.includes(id))
    report(unknownInitialState(id, known), initialAt, unknownFrom(definition, id));
};

const endsHere = info('ends-here', (id: string) => ({
  message: `The state "${id}" has no transitions: the conversation ends when it is complete.`,
}));

const noWayToTheEnd = misread('no-way-to-the-end', (states: readonly string[]) => ({
  message: `From ${quotedList(states)} the conversation can never reach an end.`,
  hint: 'Add a transition towards "__end__" or a state without transitions.',
}));

/** Reports reachable states from which the conversation cannot end, and states in the middle of the list that end it. */
export const missingEnds: PlanRule = ({ definition, options, report }) => {
  const { byId, targets } = planGraph(definition);
  const entered = reachableFrom([definition.initial_state_id], targets);
  const last = definition.states.at(-1);
  for (const state of definition.states)
    if (
      state.transitions.length === 0 &&
      state !== last &&
      entered.has(state.id) &&
      state.id !== ''
    )
      report(endsHere(state.id), state.at);
  // The limit on idle turns ends the conversation in any state.
  if (options.idleTurnLimit !== undefined) return;
  for (const group of loopsWithoutEnd(definition)) {
    const follows = group.map((id) => [...byId.get(id)!.at, 'transitions']);
    report(noWayToTheEnd(group), byId.get(group[0]!)!.at, { about: follows, follows });
  }
};

const loop = warning('loop', (states: readonly string[]) => ({
  message: `These states lead back to each other: ${quotedList(states)}.`,
  hint: 'Check that this is meant: on each return the tasks start again, and their questions are asked again.',
}));

/** Reports groups of states that lead back to each other: their tasks start again on each return. */
export const stateLoops: PlanRule = ({ definition, options, report }) => {
  // Nothing is known after a restart, so it is not a return.
  const { byId, targets } = planGraph(definition, (one) => one.target_state_id !== restart);
  const ids = definition.states.map(({ id }) => id);
  // `missingEnds` reports a loop that never ends.
  const endless = options.idleTurnLimit === undefined ? loopsWithoutEnd(definition).flat() : [];
  // A transition to its own state has its own finding.
  for (const group of loopsOf(ids, targets))
    if (group.length > 1 && !group.some((id) => endless.includes(id)))
      report(loop(group), byId.get(group[0]!)!.at);
};

const goalOutsideGoalState = misread('goal-outside-goal-state', (state: string) => ({
  message: `The state "${state}" has a goal but is not of type goal, so the goal is ignored.`,
  hint: 'Set "type": "goal".',
}));

const goalWithoutObjective = warning('goal-without-objective', (state: string) => ({
  message: `The goal state "${state}" does not say what its goal is.`,
  hint: 'Add "goal": { "objective": "..." }.',
}));

/** Reports goals outside goal states, and goal states without an objective. Spec: docs/formats/plan.md#goal-states */
export const misplacedGoals: PlanRule = ({ definition, report }) => {
  for (const { id, type, goal, at } of definition.states) {
    const follows = ['type', 'execution_mode'].map((field) => [...at, field]);
    if (goal && type !== 'goal')
      report(goalOutsideGoalState(id), [...at, 'goal'], { at: 'key', follows });
    if (type === 'goal' && !goal?.objective.trim())
      report(goalWithoutObjective(id), at, { about: [[...at, 'goal', 'objective']] });
  }
};

const checkOtherTarget = createOtherTargetCheck({ warning }, 'target_state_id');

const unknownTarget = error('unknown-target', (id: string, known: readonly string[]) => ({
  message: `There is no state "${id}".`,
  hint: () =>
    /^_*end_*$/i.test(id)
      ? 'Did you mean "__end__"?'
      : (didYouMean(id, known) ?? 'Write the id of a state of this plan, or "__end__".'),
}));

const missingTarget = error('missing-target', () => ({
  message: 'This transition has no target.',
  hint: 'Add "target_state_id": the id of a state, or "__end__".',
}));

/** Reports transitions without a target or to an unknown state. Spec: docs/formats/plan.md#transitions */
export const unknownTargets: PlanRule = ({ definition, report }) => {
  const known = definition.states.map(({ id }) => id);
  const exists = new Set([...known, end, human, restart]);
  const shared = definition.transitions ?? [];
  for (const { except_states, at } of shared)
    for (const [index, id] of except_states.entries())
      if (!exists.has(id)) report(unknownTarget(id, known), [...at, 'except_states', index]);
  const all = [...shared, ...definition.states.flatMap(({ transitions }) => transitions)];
  for (const transition of all) {
    const { target_state_id: target, at } = transition;
    checkOtherTarget(transition, target, report);
    if (target === '') report(missingTarget(), at, { about: [[...at, 'target_state_id']] });
    else if (!exists.has(target))
      report(unknownTarget(target, [...exists]), [...at, 'target_state_id'], {
        ...unknownFrom(definition, target),
        topic: target,
      });
  }
};

const selfTransition = warning('self-transition', (state: string) => ({
  message: `This transition leads back to its own state "${state}", whose tasks then start again.`,
  hint: 'Remove it to stay in the state until another transition holds.',
}));

/** Reports transitions of a state to itself: they are legal but rarely meant. */
export const selfTransitions: PlanRule = ({ definition, options, report }) => {
  const endless = options.idleTurnLimit === undefined ? loopsWithoutEnd(definition).flat() : [];
  for (const { id, transitions } of definition.states) {
    if (endless.includes(id)) continue; // `missingEnds` reports it.
    for (const { target_state_id, at } of transitions) {
      if (id !== '' && target_state_id === id)
        report(selfTransition(id), [...at, 'target_state_id']);
    }
  }
};

const shadowedTransition = warning('shadowed-transition', (earlier: string) => ({
  message: `This transition can never be taken: ${earlier}.`,
  hint: 'Change the order by "priority" (the lowest wins), or remove it.',
}));

/** Reports transitions that are never taken, because an earlier one holds whenever they do. */
export const shadowedTransitions: PlanRule = ({ definition, report }) => {
  const seen = new Set<object>();
  for (const { state, transitions } of typedTransitions(definition)) {
    transitions.forEach((transition, index) => {
      const earlier = earlierThan(transitions, index).find(
        (other) =>
          other.target_state_id !== state.id &&
          other.target_state_id !== human &&
          implies(transition.condition, other.condition),
      );
      // The rules for charts report an exact repetition.
      const isRepeated =
        transition.target_state_id === earlier?.target_state_id &&
        isSameCondition(transition.condition, earlier.condition);
      if (!earlier || isRepeated) return;
      // A transition of the plan is tried in other states too.
      if (isShared(transition) && (!isShared(earlier) || seen.has(transition.at))) return;
      seen.add(transition.at);
      const why = alwaysHolds(earlier.condition)
        ? 'an earlier one always holds'
        : 'an earlier one holds whenever this one does';
      const message = `This transition comes first (priority ${earlier.priority}).`;
      report(shadowedTransition(why), transition.at, {
        related: [{ path: earlier.at, message }],
        follows: [transition.at, earlier.at],
      });
    });
  }
};

/** Whether a transition is one of the whole plan. */
function isShared(transition: Transition): boolean {
  return 'except_states' in transition;
}

/** At most 100 transitions before one: this bounds the cost of long lists. */
function earlierThan(
  transitions: readonly TypedTransition[],
  index: number,
): readonly TypedTransition[] {
  return transitions.slice(Math.max(0, index - 100), index);
}

type TurnLimit = Extract<Condition, { readonly type: 'turn_count_exceeded' }>;

const limitNeverReached = warning('limit-never-reached', (turns: number, sooner: number) => ({
  message: `This transition can never be taken: the state is left after ${sooner} ${sooner === 1 ? 'turn' : 'turns'}, and nothing leads back to it.`,
  hint: `For example, after ${sooner} ${sooner === 1 ? 'turn' : 'turns'} the other transition leads on, and never after ${turns}. Keep one of the two, or count only turns "without_progress" for the lower limit.`,
}));

/**
 * Reports limits of turns that are never reached, because a lower one leads out of the state first. A state that others lead back
 * to continues its count, so there each limit may be reached. Spec: docs/formats/plan.md#turn-counts
 */
export const unreachableLimits: PlanRule = ({ definition, options, report }) => {
  const { idleTurnLimit = Infinity } = options;
  const { targets } = planGraph(definition);
  for (const { state, transitions } of typedTransitions(definition)) {
    const leaving = transitions.filter(
      ({ target_state_id: target }) => ![state.id, human].includes(target),
    );
    const others = targets(state.id).filter((target) => target !== state.id);
    const hasLimits = transitions.some(({ condition }) => requiredTurns(condition));
    if (!hasLimits || reachableFrom(others, targets).has(state.id)) continue;
    for (const transition of transitions) {
      const limit = requiredTurns(transition.condition);
      if (!limit || isShared(transition)) continue;
      const sooner = leaving.find((other) => other !== transition && isSooner(other, limit));
      if (sooner) {
        const { turns } = sooner.condition as TurnLimit;
        report(limitNeverReached(limit.turns, turns), transition.at, {
          related: [{ path: sooner.at, message: 'An earlier transition matches first.' }],
          follows: [transition.at, sooner.at],
        });
      } else if (limit.scope === 'without_progress' && idleTurnLimit < limit.turns)
        report(limitNeverReached(limit.turns, idleTurnLimit), transition.at);
    }
  }
};

/** The turns that must pass before a condition can hold. */
function requiredTurns(condition: Condition): TurnLimit | undefined {
  if (condition.type === 'turn_count_exceeded') return condition;
  if (condition.type !== 'all_of') return undefined;
  return condition.conditions.map(requiredTurns).find((limit) => limit !== undefined);
}

/** Whether a transition always leads on before a limit. There are never more turns without progress than turns. */
function isSooner({ condition }: TypedTransition, limit: TurnLimit): boolean {
  if (condition.type !== 'turn_count_exceeded' || condition.turns >= limit.turns) return false;
  if (condition.count && !limit.count) return false;
  return condition.scope === 'total' || limit.scope === 'without_progress';
}

const ambiguousTransitions = warning('ambiguous-transitions', (priority: number) => ({
  message: `This transition has the same priority (${priority}) as an earlier one. When both hold, the earlier one is taken.`,
  hint: 'Give them different priorities. The default is 1.',
}));

/** Reports two transitions with the same priority that may both hold: their order in the list would decide. */
export const ambiguousPriorities: PlanRule = ({ definition, report }) => {
  for (const { transitions } of typedTransitions(definition)) {
    transitions.forEach((transition, index) => {
      const { priority, at } = transition;
      const others = earlierThan(transitions, index);
      const earlier = others.find((other) => mayHoldTogether(transition, other));
      if (!earlier) return;
      const related = [{ path: earlier.at, message: 'The earlier transition.' }];
      report(ambiguousTransitions(priority), at, { related, follows: [at, earlier.at] });
    });
  }
};

function mayHoldTogether(later: TypedTransition, earlier: TypedTransition): boolean {
  return (
    later.priority === earlier.priority &&
    // A transition of the plan comes first.
    !isShared(earlier) &&
    !isShared(later) &&
    later.target_state_id !== earlier.target_state_id &&
    !implies(later.condition, earlier.condition) &&
    !excludes(later.condition, earlier.condition)
  );
}

/** The most conditions of one list that are compared with each other. */
const comparedMax = 100;

const contradictoryCondition = warning('contradictory-condition', (one: string, other: string) => ({
  message: `This condition can never hold: "${one}" and "${other}" exclude each other.`,
  hint: 'Use "any_of" if one of the two is enough, or remove one.',
}));

/** Reports transitions with an `all_of` that never holds: two of its conditions exclude each other. Spec: docs/formats/plan.md#conditions */
export const contradictoryConditions: PlanRule = ({ definition, report }) => {
  const lists = new Set(
    allDeliverables(definition).flatMap(({ key, type }) => (type === 'list' ? [key] : [])),
  );
  const seen = new Set<object>();
  /** A list can contain both of two values. */
  const isList = (condition: Condition) => lists.has(keyOf(condition) ?? '');
  for (const { condition, at } of typedTransitions(definition).flatMap((one) => one.transitions)) {
    if (seen.has(at)) continue;
    seen.add(at);
    const pairs = eachCondition(condition).map((each) => exclusivePairIn(each, isList));
    const pair = pairs.find(Boolean);
    if (!pair) continue;
    const [one, other] = pair;
    const follows = pair.flatMap(({ paths }) => Object.values(paths ?? {}));
    report(contradictoryCondition(inWords(one), inWords(other)), at, { follows });
  }
};

function exclusivePairIn(
  condition: Condition,
  isList: (condition: Condition) => boolean,
): readonly [Condition, Condition] | undefined {
  if (condition.type !== 'all_of') return undefined;
  const conditions = condition.conditions.slice(0, comparedMax);
  for (const [index, one] of conditions.entries())
    for (const other of conditions.slice(index + 1))
      if (!isList(one) && excludes(one, other)) return [one, other];
  return undefined;
}

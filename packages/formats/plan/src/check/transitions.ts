import { withDeclaredValues } from '../conditions/declared-values.ts';
import type { Condition } from '../conditions/table.ts';
import { declarationFinder } from '../declarations.ts';
import { end, type Plan, type State, type Transition } from '../definition.ts';
import {
  ambiguousTransitions,
  missingTarget,
  selfTransition,
  shadowedTransition,
  unknownTarget,
} from '../diagnostics/transitions.ts';
import { unknownFrom } from '../plan-graph.ts';
import { alwaysHolds, excludes, implies, isSameCondition } from './implication.ts';
import type { PlanRule } from './rule.ts';
import { loopsWithoutEnd } from './states.ts';

/** A transition leads to a state of the same plan, or to the end. Spec: docs/formats/plan.md#transitions */
export const targetsExist: PlanRule = ({ definition, report }) => {
  const known = definition.states.map(({ id }) => id);
  const exists = new Set([...known, end]);
  for (const { target_state_id: target, at } of definition.states.flatMap(
    ({ transitions }) => transitions,
  )) {
    if (target === '') report(missingTarget(), at, { about: [[...at, 'target_state_id']] });
    else if (!exists.has(target))
      report(unknownTarget(target, [...known, end]), [...at, 'target_state_id'], {
        ...unknownFrom(definition, target),
        topic: target,
      });
  }
};

/** A transition of a state to itself is legal, and rarely meant. */
export const selfTransitions: PlanRule = ({ definition, options, report }) => {
  const endless = options.idleTurnLimit === undefined ? loopsWithoutEnd(definition).flat() : [];
  for (const { id, transitions } of definition.states) {
    if (endless.includes(id)) continue; // It is reported that nothing else leads on.
    for (const { target_state_id, at } of transitions) {
      if (id !== '' && target_state_id === id)
        report(selfTransition(id), [...at, 'target_state_id']);
    }
  }
};

/** A transition behind one that always holds, or that holds whenever it does, is never taken. */
export const shadowing: PlanRule = ({ definition, report }) => {
  for (const { state, transitions } of typedTransitions(definition)) {
    transitions.forEach((transition, index) => {
      const earlier = earlierThan(transitions, index).find(
        (other) =>
          other.target_state_id !== state.id && implies(transition.condition, other.condition),
      );
      // A plain repetition is reported for charts of any format.
      if (!earlier || isRepeated(transition, earlier)) return;
      const why = alwaysHolds(earlier.condition)
        ? 'an earlier one always holds'
        : 'an earlier one holds whenever this one does';
      const message = `This one comes first (priority ${earlier.priority}).`;
      report(shadowedTransition(why), transition.at, {
        related: [{ path: earlier.at, message }],
        follows: [transition.at, earlier.at],
      });
    });
  }
};

function isRepeated(transition: TypedTransition, earlier: TypedTransition): boolean {
  return (
    transition.target_state_id === earlier.target_state_id &&
    isSameCondition(transition.condition, earlier.condition)
  );
}

/** Transitions of one priority should exclude each other, so that their order in the list does not decide. */
export const ambiguity: PlanRule = ({ definition, report }) => {
  for (const { transitions } of typedTransitions(definition)) {
    transitions.forEach((transition, index) => {
      const earlier = earlierThan(transitions, index).find((other) =>
        mayHoldTogether(transition, other),
      );
      if (!earlier) return;
      const related = [{ path: earlier.at, message: 'The earlier one.' }];
      report(ambiguousTransitions(transition.priority), transition.at, {
        related,
        follows: [transition.at, earlier.at],
      });
    });
  }
};

function mayHoldTogether(later: TypedTransition, earlier: TypedTransition): boolean {
  return (
    later.priority === earlier.priority &&
    later.target_state_id !== earlier.target_state_id &&
    !implies(later.condition, earlier.condition) &&
    !excludes(later.condition, earlier.condition)
  );
}

type TypedTransition = Transition & { readonly condition: Condition };

/** The transitions of each state that could be read, with their expected values as the declared type has them. */
function typedTransitions(plan: Plan): { state: State; transitions: TypedTransition[] }[] {
  const declarationOf = declarationFinder(plan);
  return plan.states.map((state) => ({
    state,
    transitions: state.transitions.flatMap((transition) => {
      if (!transition.condition) return [];
      const condition = withDeclaredValues(transition.condition, (key) =>
        declarationOf(state, key),
      );
      return { ...transition, condition };
    }),
  }));
}

/** Each transition is compared with so many before it at most, so that long lists cost no more than they must. */
function earlierThan(
  transitions: readonly TypedTransition[],
  index: number,
): readonly TypedTransition[] {
  return transitions.slice(Math.max(0, index - 100), index);
}

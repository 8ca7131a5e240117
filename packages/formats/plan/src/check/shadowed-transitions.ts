import { withDeclaredValues } from '../conditions/declared-values.ts';
import type { Condition } from '../conditions/table.ts';
import { declarationFinder } from '../declarations.ts';
import { human, type Plan, type State, type Transition } from '../definition.ts';
import { shadowedTransition } from '../diagnostics/transitions.ts';
import { transitionsOf } from '../plan-graph.ts';
import { alwaysHolds, implies, isSameCondition } from './implication.ts';
import type { PlanRule } from './rule.ts';

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
      if (!earlier || isRepeated(transition, earlier)) return;
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

function isRepeated(transition: TypedTransition, earlier: TypedTransition): boolean {
  return (
    transition.target_state_id === earlier.target_state_id &&
    isSameCondition(transition.condition, earlier.condition)
  );
}

/** Whether a transition is one of the whole plan. */
export function isShared(transition: Transition): boolean {
  return 'except_states' in transition;
}

export type TypedTransition = Transition & { readonly condition: Condition };

/** The readable transitions of each state. Expected values are converted to the declared type. */
export function typedTransitions(plan: Plan): { state: State; transitions: TypedTransition[] }[] {
  const declarationOf = declarationFinder(plan);
  return plan.states.map((state) => ({
    state,
    transitions: transitionsOf(plan, state).flatMap((transition) => {
      if (!transition.condition) return [];
      const condition = withDeclaredValues(transition.condition, (key) =>
        declarationOf(state, key),
      );
      return { ...transition, condition };
    }),
  }));
}

/** At most 100 transitions before one: this bounds the cost of long lists. */
export function earlierThan(
  transitions: readonly TypedTransition[],
  index: number,
): readonly TypedTransition[] {
  return transitions.slice(Math.max(0, index - 100), index);
}

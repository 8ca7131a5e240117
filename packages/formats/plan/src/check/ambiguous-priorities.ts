import { ambiguousTransitions } from '../diagnostics/transitions.ts';
import { excludes, implies } from './implication.ts';
import type { PlanRule } from './rule.ts';
import {
  earlierThan,
  isShared,
  type TypedTransition,
  typedTransitions,
} from './shadowed-transitions.ts';

/** Reports two transitions with the same priority that may both hold: their order in the list would decide. */
export const ambiguousPriorities: PlanRule = ({ definition, report }) => {
  for (const { transitions } of typedTransitions(definition)) {
    transitions.forEach((transition, index) => {
      const earlier = earlierThan(transitions, index).find((other) =>
        mayHoldTogether(transition, other),
      );
      if (!earlier) return;
      const related = [{ path: earlier.at, message: 'The earlier transition.' }];
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
    // A transition of the plan comes first.
    !isShared(earlier) &&
    !isShared(later) &&
    later.target_state_id !== earlier.target_state_id &&
    !implies(later.condition, earlier.condition) &&
    !excludes(later.condition, earlier.condition)
  );
}

import { goalOutsideGoalState, goalWithoutObjective } from '../diagnostics/tasks.ts';
import type { PlanRule } from './rule.ts';

/** Reports goals outside goal states, and goal states without an objective. Spec: docs/formats/plan.md#goal-states */
export const misplacedGoals: PlanRule = ({ definition, report }) => {
  for (const { id, type, goal, at } of definition.states) {
    if (goal && type !== 'goal')
      report(goalOutsideGoalState(id), [...at, 'goal'], {
        at: 'key',
        follows: [
          [...at, 'type'],
          [...at, 'execution_mode'],
        ],
      });
    if (type === 'goal' && !goal?.objective.trim())
      report(goalWithoutObjective(id), at, { about: [[...at, 'goal', 'objective']] });
  }
};

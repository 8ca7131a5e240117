import { goalConditionOutsideGoalState } from '../diagnostics/transitions.ts';
import type { ConditionKind } from './kind.ts';

/** The goal of a goal state is achieved. */
export const goalAchieved: ConditionKind<'goal_achieved', object> = {
  type: 'goal_achieved',
  otherNames: ['goal_reached'],
  read: () => ({}),
  inWords: () => 'goal achieved',
  holds: (_, conversation) => conversation.isInGoalState() && conversation.isGoalAchieved(),
  inState: ({ isGoalState }) =>
    isGoalState
      ? undefined
      : { problem: goalConditionOutsideGoalState(), follows: ['type', 'goal'] },
};

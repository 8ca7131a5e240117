import { warning } from '../problems.ts';
import type { ConditionKind } from './kind.ts';

const goalConditionOutsideGoalState = warning('goal-condition-outside-goal-state', () => ({
  message: 'The condition goal_achieved can never hold outside a goal state.',
  hint: 'Use all_tasks_complete, or make the state a goal state.',
}));

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

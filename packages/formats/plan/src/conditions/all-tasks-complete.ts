import { info } from '../problems.ts';
import type { ConditionKind } from './kind.ts';

const completionInGoalState = info('completion-in-goal-state', () => ({
  message: 'In a goal state all_tasks_complete means goal_achieved.',
}));

/** Every task of the state is done. In a goal state it means that the goal is achieved. */
export const allTasksComplete: ConditionKind<'all_tasks_complete', object> = {
  type: 'all_tasks_complete',
  otherNames: ['always', 'completed', 'tasks_complete', 'state_complete'],
  read: () => ({}),
  inWords: () => 'all tasks complete',
  holds: (_, conversation) => !conversation.isInGoalState() && conversation.isComplete(),
  inState: ({ isGoalState }) =>
    isGoalState
      ? { problem: completionInGoalState(), readAs: { type: 'goal_achieved' } }
      : undefined,
};

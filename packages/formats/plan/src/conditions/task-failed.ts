import type { ConditionKind } from './kind.ts';

export interface Terms {
  readonly task_id?: string;
}

/** The agent of a task has failed: of one task, or of any. */
export const taskFailed: ConditionKind<'task_failed', Terms> = {
  type: 'task_failed',
  otherNames: ['agent_failed', 'failed'],
  read: (fields) =>
    fields.pick('task_id') ? { task_id: fields.text('task_id', 'the id of a task') } : {},
  inWords: ({ task_id }) => `${task_id ?? 'a task'} failed`,
  holds: ({ task_id }, conversation) => conversation.hasFailed(task_id),
};

import type { Attention } from '../store/contract.ts';
import type { InstanceState } from './state.ts';
import type { Suspension } from './suspensions.ts';

/** The queues of people's work. An instance is in one of them, or in none. */
export const queueNames = ['needsPerson', 'decisions', 'failed', 'paused', 'setAside'] as const;

export type QueueName = (typeof queueNames)[number];

export interface AttentionInput {
  /** The attention that was stored before. */
  readonly before: Attention;
  /** The time of the step. */
  readonly at: number;
  readonly ended: boolean;
  /** Whether it has ended in a failure without being cancelled. */
  readonly hasFailed: boolean;
  readonly state: Pick<
    InstanceState,
    'failure' | 'claim' | 'inbox' | 'heard' | 'question' | 'parent' | 'stopped'
  >;
  readonly suspension: Suspension | undefined;
  /** The number of open decisions. */
  readonly questions: number;
  /** When a person has acted since, if one has. */
  readonly actedAt: number | undefined;
}

/** Decides which queue of people's work an instance is in after a step. Its waiting time continues when it changes queues. */
export function attentionAfter(input: AttentionInput): Attention {
  const { before, at, ended, state } = input;
  const actedAt = input.actedAt ?? before.actedAt;
  const queue = queueOf(input);
  return {
    ...(queue === undefined ? {} : { queue, since: before.since ?? at }),
    ...(state.claim && !ended ? { owner: state.claim.by } : {}),
    ...(actedAt === undefined ? {} : { actedAt }),
  };
}

/** Updates the attention of a conversation that a person has taken over, after a line: nobody waits after an answer by hand. */
export function attentionAfterLine(before: Attention, role: string, at: number): Attention {
  if (role === 'manual') return { ...before, queue: 'paused', since: at };
  const isNew = role === 'contact' && before.queue === 'paused';
  return isNew ? { ...before, queue: 'needsPerson', since: at } : before;
}

/** The queue of an instance. One that needs a person stays in its queue until a person answers, also during and after a take-over. */
function queueOf(input: AttentionInput): QueueName | undefined {
  const { suspension, state, questions, ended, hasFailed, before } = input;
  // The parent of an instance deals with its failure.
  if (ended) return hasFailed && !state.parent ? 'failed' : undefined;
  if (suspension === undefined) return questions > 0 ? 'decisions' : undefined;
  if (suspension === 'needsPerson') return state.failure ? 'failed' : 'needsPerson';
  const known = queueNames.find((name) => name === before.queue && name !== 'decisions');
  if (state.stopped) return 'paused';
  return known ?? (state.claim && isUnanswered(state) ? 'needsPerson' : 'paused');
}

/** Whether the contact has written, and the agent was interrupted before it answered. */
function isUnanswered({ inbox, heard, question }: AttentionInput['state']): boolean {
  return inbox.count > 0 || (heard !== undefined && heard.to > (question?.line ?? -1));
}

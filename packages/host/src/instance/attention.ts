import type { Attention } from '../store/contract.ts';
import type { InstanceState } from './state.ts';
import type { Suspension } from './suspensions.ts';

/** The queues of people's work. An open instance is in one of them, or in none. */
export const queueNames = ['needsPerson', 'decisions', 'failed', 'paused', 'setAside'] as const;

export type QueueName = (typeof queueNames)[number];

export interface AttentionInput {
  /** What was stored before. */
  readonly before: Attention;
  /** The time of the step. */
  readonly at: number;
  readonly ended: boolean;
  readonly state: Pick<InstanceState, 'failure' | 'claim'>;
  readonly suspension: Suspension | undefined;
  /** The number of open decisions. */
  readonly questions: number;
  /** When a person acted, if one did since. */
  readonly actedAt: number | undefined;
}

/** What people have to do with an instance after a step. While it goes from queue to queue, its waiting time goes on. */
export function attentionAfter(input: AttentionInput): Attention {
  const { before, at, ended, state } = input;
  const actedAt = input.actedAt ?? before.actedAt;
  const acted = actedAt === undefined ? {} : { actedAt };
  if (ended) return acted;
  const queue = queueOf(input);
  return {
    ...(queue === undefined ? {} : { queue, since: before.since ?? at }),
    ...(state.claim ? { owner: state.claim.by } : {}),
    ...acted,
  };
}

function queueOf({ suspension, state, questions }: AttentionInput): QueueName | undefined {
  if (suspension === 'paused') return 'paused';
  if (suspension === 'needsPerson') return state.failure ? 'failed' : 'needsPerson';
  return questions > 0 ? 'decisions' : undefined;
}

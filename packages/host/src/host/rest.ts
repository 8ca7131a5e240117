import type { InstanceView } from './view.ts';

/** Why a conversation does nothing now. `answered`: it waits for its contact. */
export type Rest = 'answered' | 'failed' | 'paused' | 'taken_over' | 'waits_for_person' | 'ended';

/** Why an instance does nothing now; undefined while it does. A message that waits for its turn counts as work. */
export function restOf({
  ended,
  queue,
  owner,
  waits,
  isAnswering,
}: Pick<InstanceView, 'ended' | 'queue' | 'owner' | 'waits' | 'isAnswering'>): Rest | undefined {
  if (ended) return 'ended';
  if (owner !== undefined) return 'taken_over';
  if (queue === 'paused') return 'paused';
  if (queue === 'failed') return 'failed';
  const works = waits.some((wait) => wait.for === 'call' || wait.for === 'retry');
  if (queue === 'decisions' ? !works : queue !== undefined) return 'waits_for_person';
  return isAnswering ? undefined : 'answered';
}

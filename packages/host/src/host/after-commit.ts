import type { Activity } from '../admission/activity.ts';
import type { LiveInstance } from '../instance/live-instance.ts';
import type { StoredSteps } from '../instance/step-result.ts';
import type { ContactQueues } from './contact-queues.ts';
import type { Timekeeper } from './timekeeper.ts';

interface CommitParts {
  readonly timekeeper: Timekeeper;
  readonly contactQueues: ContactQueues;
  readonly activity: Activity;
}

/** Sets the alarm for new timers after a commit, and calls up the next instance of a contact that has become free. */
export function afterCommit(
  { contact, state }: LiveInstance,
  { timers, events }: StoredSteps,
  { timekeeper, contactQueues, activity }: CommitParts,
): void {
  for (const { at } of timers) timekeeper.note(at);
  if (contact === undefined || state.holds) return;
  const hasMoved = events.some(
    ({ source, event }) => source === 'lifecycle' && event.type === 'state.entered',
  );
  if (hasMoved) void activity.during(() => contactQueues.callUpNext(contact));
}

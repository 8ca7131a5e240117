import type { Activity } from '../admission/activity.ts';
import type { LiveInstance } from '../instance/live-instance.ts';
import type { StoredSteps } from '../instance/step-result.ts';
import type { ContactQueues } from './contact-queues.ts';
import type { Timekeeper } from './timekeeper.ts';

export interface CommitListenerOptions {
  readonly timekeeper: Timekeeper;
  readonly contactQueues: ContactQueues;
  readonly activity: Activity;
}

/** Sets the alarm for new timers after each commit, and calls up the next instance of a contact that has become free. */
export class CommitListener {
  readonly #options: CommitListenerOptions;

  constructor(options: CommitListenerOptions) {
    this.#options = options;
  }

  onCommit({ contact, state }: LiveInstance, { timers, events }: StoredSteps): void {
    for (const { at } of timers) this.#options.timekeeper.note(at);
    if (contact === undefined || state.holds) return;
    const hasMoved = events.some(
      ({ source, event }) => source === 'lifecycle' && event.type === 'state.entered',
    );
    if (hasMoved) this.#callUpNext(contact);
  }

  #callUpNext(contact: string): void {
    const { contactQueues, activity } = this.#options;
    void activity.during(() => contactQueues.callUpNext(contact));
  }
}

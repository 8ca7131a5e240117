import type { LiveInstance } from '../instance/live-instance.ts';
import type { StepResult } from '../instance/step-result.ts';
import type { ContactQueues } from './contact-queues.ts';
import type { OnError } from './error-reporter.ts';
import type { Timekeeper } from './timekeeper.ts';

export interface CommitListenerOptions {
  readonly timekeeper: Timekeeper;
  readonly contactQueues: ContactQueues;
  readonly onError: OnError;
}

/** After each commit: sets the alarm for new timers, and calls up the next instance of a contact that has become free. */
export class CommitListener {
  readonly #options: CommitListenerOptions;
  #callingUp = 0;

  constructor(options: CommitListenerOptions) {
    this.#options = options;
  }

  /** Whether no call-up is running. */
  get isIdle(): boolean {
    return this.#callingUp === 0;
  }

  onCommit({ contact, state }: LiveInstance, { change, events }: StepResult): void {
    for (const { at } of change?.timers ?? []) this.#options.timekeeper.note(at);
    if (contact === undefined || state.holds) return;
    const hasMoved = events.some(
      ({ source, event }) => source === 'lifecycle' && event.type === 'state.entered',
    );
    if (hasMoved) this.#callUpNext(contact);
  }

  #callUpNext(contact: string): void {
    const { contactQueues, onError } = this.#options;
    this.#callingUp += 1;
    contactQueues
      .callUpNext(contact)
      .catch((error: unknown) =>
        onError(error, `calling up the next instance of ${JSON.stringify(contact)}`),
      )
      .finally(() => (this.#callingUp -= 1));
  }
}

import type { EventObject, JsonObject } from '@dramaturg/compiler';
import type { Schedule } from '../admission/schedule.ts';
import { isUnknownInstance } from '../errors.ts';
import type { Answer, HostEvent } from '../instance/event.ts';
import { messageLetter } from '../instance/letter.ts';
import { refusal } from '../instance/refusal.ts';
import type { ActiveInstances } from './active-instances.ts';
import type { OnError } from './error-reporter.ts';
import type { InterveneOptions } from './operator.ts';

export type ByHandEvent = JsonObject & EventObject & { readonly id: string };

/** The event of a message by hand. Its id is that of its key, if it has one. */
export function byHandEvent(
  text: string,
  { key, ...act }: InterveneOptions,
  uuid: () => string,
): ByHandEvent {
  const keyed = key === undefined ? {} : { isKeyed: true };
  return { ...act, ...keyed, type: 'intervene', id: `by-hand-${key ?? uuid()}`, text };
}

export interface ByHandOptions {
  readonly activeInstances: ActiveInstances;
  /** Milliseconds after which a message that waits for earlier ones is given up. */
  readonly deliveryTimeout: number;
  readonly stateOf: (id: string) => Promise<string>;
  readonly schedule: Schedule;
  readonly uuid: () => string;
  readonly onError: OnError;
}

/** Owns the messages by hand whose authors wait for delivery. A message is `waiting` until it is delivered or rejected. */
export class ByHand {
  readonly #options: ByHandOptions;
  readonly #waiting = new Map<string, (because: string | undefined) => void>();
  /** The last attempt to write each message with a key. */
  readonly #attempts = new Map<string, Promise<unknown>>();

  constructor(options: ByHandOptions) {
    this.#options = options;
  }

  /** Fulfils when the channel has accepted or rejected the message. Messages with the same key wait for each other. */
  async write(id: string, text: string, act: InterveneOptions): Promise<Answer> {
    const event = byHandEvent(text, act, this.#options.uuid);
    if (act.key === undefined) return this.#write(id, event);
    const name = `${id}/${event.id}`;
    const before = this.#attempts.get(name);
    const attempt = Promise.resolve(before?.catch(() => {})).then(() => this.#write(id, event));
    this.#attempts.set(name, attempt);
    try {
      return await attempt;
    } finally {
      if (this.#attempts.get(name) === attempt) this.#attempts.delete(name);
    }
  }

  async #write(id: string, event: ByHandEvent): Promise<Answer> {
    const { activeInstances, stateOf } = this.#options;
    const letter = messageLetter(event.id);
    const outcome = new Promise<string | undefined>((resolve) =>
      this.#waiting.set(letter, resolve),
    );
    this.#giveUpLater(id, letter);
    try {
      const answer = await activeInstances.use(id, (runner) => runner.receive(event, 'host'));
      if (!answer.accepted) return answer;
      const because = await outcome;
      const state = activeInstances.peek(id)?.stored.status ?? (await stateOf(id));
      if (because === undefined) return { accepted: true, state };
      return refusal('message/not-delivered', because, state);
    } finally {
      this.#waiting.delete(letter);
    }
  }

  handleEvents(events: readonly HostEvent[]): void {
    for (const { event } of events) {
      if (event.type !== 'message.delivered' && event.type !== 'message.rejected') continue;
      const { id, because } = event;
      const report = this.#waiting.get(messageLetter(String(id)));
      report?.(
        typeof because === 'string' ? `The channel has not taken it: ${because}` : undefined,
      );
    }
  }

  end(because: string): void {
    for (const report of this.#waiting.values()) report(because);
    this.#waiting.clear();
  }

  #giveUpLater(id: string, letter: string): void {
    const { schedule, deliveryTimeout } = this.#options;
    schedule.after(deliveryTimeout, () => {
      if (!this.#waiting.has(letter)) return;
      this.#giveUp(id, letter);
      this.#giveUpLater(id, letter);
    });
  }

  /** Gives a message up, so that its author does not wait for earlier messages that the channel does not accept. */
  #giveUp(id: string, letter: string): void {
    const because = 'the channel has not accepted the messages before it yet.';
    this.#options.activeInstances
      .use(id, async (runner) => {
        // The channel is processing the message: its answer decides.
        if (runner.sender.isSending(letter)) return;
        await runner.step((instance) => instance.decideRejected(letter, because));
        // The event that reports the outcome was missed, because the store failed after it had written.
        this.#waiting.get(letter)?.('The outcome is only in the journal.');
      })
      .catch((error: unknown) => {
        if (isUnknownInstance(error)) this.#waiting.get(letter)?.('The instance was erased.');
        else this.#options.onError(error, 'giving up a message by hand');
      });
  }
}

import { type Channel, type OutgoingMessage, RejectedError } from '@dramaturg/host';
import type { Chance } from '@dramaturg/testing';
import type { SimulatedProcess } from '../machine/process.ts';
import type { StoredState } from '../oracle/stored-state.ts';
import type { Scheduler } from '../time/scheduler.ts';
import type { Trace } from '../trace.ts';

/** The present faults of the channel. */
export interface MessengerTrouble {
  readonly isDown: boolean;
  /** The shares of deliveries that fail, that are accepted without an answer, or that fail after they were accepted. */
  readonly failures: number;
  readonly silences: number;
  readonly lostReceipts: number;
  /** The share of messages by hand that are rejected for good. */
  readonly rejections: number;
}

export const soundMessenger: MessengerTrouble = {
  isDown: false,
  failures: 0,
  silences: 0,
  lostReceipts: 0,
  rejections: 0,
};

/** The channel to all contacts. Owns the record of the messages that it has accepted, in the order of the first delivery. */
export class Messenger {
  trouble: MessengerTrouble = soundMessenger;
  readonly accepted = new Map<string, OutgoingMessage>();
  /** Deliveries with the id of an accepted message. */
  repeated = 0;
  readonly #greeted = new Set<string>();
  readonly #scheduler: Scheduler;
  readonly #chance: Chance;
  readonly #trace: Trace;
  readonly #stored: StoredState;

  constructor(scheduler: Scheduler, chance: Chance, trace: Trace, stored: StoredState) {
    this.#scheduler = scheduler;
    this.#chance = chance;
    this.#trace = trace;
    this.#stored = stored;
  }

  /** Whether the instance has sent a message. */
  hasGreeted(instance: string): boolean {
    return this.#greeted.has(instance);
  }

  /** The channel as a process calls it. See `Model.portsOf`. */
  channelOf(
    process: SimulatedProcess,
    isOwner: () => boolean,
    reach: (point: string) => void,
  ): Channel {
    return {
      deliver: (message) => {
        reach('deliver');
        if (process.hasEnded) return new Promise(() => {});
        if (isOwner()) this.#stored.checkMessage(message.instance, message.id);
        return process.await(this.#deliver(message)).then(() => reach('delivered'));
      },
    };
  }

  async #deliver(message: OutgoingMessage): Promise<void> {
    const { isDown, failures, silences, lostReceipts, rejections } = this.trouble;
    await this.#scheduler.sleep(this.#chance.next() * 500);
    const luck = this.#chance.next();
    if (isDown || luck < failures) {
      this.#trace.note('channel', `fails ${message.id}`);
      throw new Error('The channel is down.');
    }
    if (message.role === 'manual' && this.#chance.next() < rejections)
      throw new RejectedError('The contact has blocked us.');
    this.#accept(message);
    if (luck < failures + silences) return new Promise(() => {});
    if (luck < failures + silences + lostReceipts) throw new Error('The connection was lost.');
  }

  #accept(message: OutgoingMessage): void {
    const isKnown = this.accepted.has(message.id);
    this.#trace.note('channel', `${isKnown ? 'accepts again' : 'accepts'} ${message.id}`);
    if (isKnown) this.repeated += 1;
    else this.accepted.set(message.id, message);
    this.#greeted.add(message.instance);
  }
}

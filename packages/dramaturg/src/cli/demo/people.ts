import { setTimeout as pause } from 'node:timers/promises';
import type { Channel } from '@dramaturg/host';
import type { Host } from '../../host.ts';

const names = ['Ada Byron', 'Bruno Costa', 'Chioma Eze', 'Dara Singh', 'Elif Demir', 'Farah Aziz'];
const stories = ['My bike was stolen', 'A pipe has burst', 'The screen broke', 'Hail on the car'];
/** The next event of the carrier, by the state of a parcel. */
const parcelEvents: Readonly<Record<string, string>> = {
  ORDERED: 'pack',
  PACKED: 'collect',
  ON_THE_WAY: 'ring',
  AT_THE_DOOR: 'hand over',
};

/** The most conversations at the same time. */
const contactsMax = 6;

/** Decisions that wait for the person at the page. */
const decisionsMax = 3;

/** Conversations that wait for a person at the desk. */
const helpMax = 2;

/** The contacts of people that the demonstration plays; others are visitors of its page. */
const prefix = 'demo-';

/** Plays people who make claims and answer questions, and a carrier who moves parcels. */
export class DemoPeople {
  readonly #signal: AbortSignal;
  #host: Host | undefined;
  #claims = 0;
  #parcels = 0;
  /** The contacts that have asked for a person: each does so once. */
  readonly #askedForPerson = new Set<string>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Delivers the messages of the host to people. */
  readonly channel: Channel = {
    deliver: ({ contact, text, id }) => {
      if (contact?.startsWith(prefix)) void this.#answer(contact, text, id).catch(() => {});
      return Promise.resolve();
    },
  };

  /** Starts claims and parcels until the demonstration ends. */
  async play(host: Host): Promise<void> {
    this.#host = host;
    while (!this.#signal.aborted) {
      const { items } = await host.list({ definition: 'claim', ended: false }, { limit: 100 });
      const waiting = items.filter(({ contact }) => contact?.startsWith(prefix));
      if (waiting.length < contactsMax) await this.#claim(host);
      await this.#moveParcel(host);
      await this.#approve(host);
      await this.#help(host);
      await this.#wait(2_500);
    }
  }

  async #claim(host: Host): Promise<void> {
    this.#claims += 1;
    const contact = `${prefix}${this.#claims}`;
    await host.start('claim', { id: `claim-${this.#claims}`, contact });
  }

  /** Somebody at the desk takes the oldest decision when many wait. */
  async #approve(host: Host): Promise<void> {
    const { items } = await host.decisions({}, { limit: 100 });
    const [oldest] = items;
    if (oldest && items.length > decisionsMax)
      await host.decide(oldest.decision, { decision: 'approve', by: 'desk' });
  }

  /** Somebody at the desk returns the oldest conversation to the agent when many wait. */
  async #help(host: Host): Promise<void> {
    const { items } = await host.list({ queue: 'needsPerson' }, { limit: 100 });
    const [oldest] = items;
    if (oldest && items.length > helpMax) await host.resume(oldest.id, { by: 'desk' });
  }

  async #moveParcel(host: Host): Promise<void> {
    const { items } = await host.list({ definition: 'parcel', ended: false }, { limit: 10 });
    const [parcel] = items;
    if (!parcel) {
      this.#parcels += 1;
      await host.start('parcel', { id: `parcel-${this.#parcels}` });
      return;
    }
    await host.send(parcel.id, { type: parcelEvents[parcel.state] ?? 'cancel' });
  }

  /** Answers like somebody who thinks and types. */
  async #answer(contact: string, question: string, id: string): Promise<void> {
    await this.#wait(1_500 + Math.random() * 3_000);
    const index = Number(contact.slice(prefix.length)) || 0;
    const text = this.#wantsPerson(contact, question, index)
      ? 'I want to talk to a human'
      : answerTo(question, index);
    if (text !== undefined) await this.#host?.receive({ contact, text, id: `answer to ${id}` });
  }

  /** Every third contact asks for a person before it names an amount. */
  #wantsPerson(contact: string, question: string, index: number): boolean {
    if (index % 3 !== 2 || !question.includes('euros') || this.#askedForPerson.has(contact))
      return false;
    this.#askedForPerson.add(contact);
    return true;
  }

  async #wait(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#signal, ref: false }).catch(() => {});
  }
}

function answerTo(question: string, index: number): string | undefined {
  const among = (texts: readonly string[]) => texts[index % texts.length]!;
  if (question.includes('name')) return among(names);
  if (question.includes('happened')) return among(stories);
  if (question.includes('euros')) return String(40 + ((index * 37) % 400));
  return undefined;
}

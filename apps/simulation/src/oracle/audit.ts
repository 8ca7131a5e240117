import type { Store, TranscriptLine } from '@dramaturg/host';
import {
  differentOrderData,
  type JournalEntry,
  readJournal,
  readTranscript,
} from '@dramaturg/testing';
import type { Disk } from '../store/file-disk.ts';
import type { Ledger, Sent } from '../crowd/requests.ts';
import type { Messenger } from '../world/messenger.ts';
import type { Model } from '../world/model.ts';
import type { Violations } from './stored-state.ts';

interface Stored {
  readonly id: string;
  readonly status: string;
  readonly ended: boolean;
  readonly lines: readonly TranscriptLine[];
  readonly journal: readonly JournalEntry[];
}

export interface AuditOptions {
  readonly store: Store;
  readonly disk: Disk;
  readonly ledger: Ledger;
  readonly messenger: Messenger;
  readonly model: Model;
  readonly violations: Violations;
}

/** Compares the acknowledgements of the crowd with the store, and both with the records of channel and model. */
export class Audit {
  readonly #options: AuditOptions;

  constructor(options: AuditOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { store, ledger } = this.#options;
    for (const { reason } of (await store.verify()).damaged) this.#report('damaged', reason);
    for (const [contact, ids] of ledger.conversations) {
      const conversations = await this.#allStored(ids);
      this.#arrived(contact, ledger.messages.get(contact) ?? [], conversations);
      for (const each of conversations) {
        this.#fed(each);
        this.#delivered(each);
      }
    }
    for (const [id, reminders] of ledger.silent) await this.#silent(id, reminders);
    for (const id of ledger.orders) await this.#order(id);
    for (const id of ledger.heaps) await this.#completed(id);
    for (const [id, decided] of ledger.reviews) await this.#review(id, decided);
    for (const [id, events] of ledger.parcels) await this.#parcel(id, events);
    for (const { instance, text } of ledger.byHand) await this.#byHand(instance, text);
    for (const contact of ledger.erased) await this.#erased(contact);
  }

  /** Checks that each acknowledged message is in one transcript, once, and in the order of the contact. */
  #arrived(contact: string, sent: readonly Sent[], conversations: readonly Stored[]): void {
    const known = new Map(sent.map((message) => [message.text, message]));
    const found = new Map<string, number>();
    for (const { id, lines } of conversations) {
      let latest = 0;
      const latestBy = new Map<unknown, number>();
      for (const { text } of lines.filter(({ role }) => role === 'contact')) {
        const message = known.get(text);
        if (!message) {
          this.#report('H8', `${id} has a line of ${contact} that nobody wrote: ${text}`);
          continue;
        }
        found.set(text, (found.get(text) ?? 0) + 1);
        // The message was acknowledged before the contact wrote a message that precedes it in the transcript.
        if ((message.acknowledgedAt ?? Infinity) < latest)
          this.#report('H3', `${id} has "${text}" too late`);
        latest = Math.max(latest, message.sentAt);
        if (!message.takenBy) continue;
        const { host, at } = message.takenBy;
        if (at < (latestBy.get(host) ?? 0))
          this.#report('H3', `${id} has "${text}" behind a message that came later`);
        latestBy.set(host, at);
      }
    }
    for (const { text, acknowledgedAt } of sent) {
      const times = found.get(text) ?? 0;
      if (times > 1) this.#report('twice', `"${text}" is ${times} times in the store`);
      if (times === 0 && acknowledgedAt !== undefined)
        this.#report('H1', `"${text}" was acknowledged and is not in the store`);
    }
  }

  /** Checks that the conversation got each message once, in the order of the transcript: all messages, unless it ended before. */
  #fed({ id, ended, lines }: Stored): void {
    const arrived = lines.filter(({ role }) => role === 'contact').map(({ text }) => text);
    const fed: string[] = [];
    let last: string | undefined;
    for (const { instance, message } of this.#options.model.calls.values()) {
      if (instance !== id || message === undefined || message === last) continue;
      fed.push(...message.split('\n'));
      last = message;
    }
    if (fed.some((text, index) => text !== arrived[index]))
      this.#report('H3', `${id} was fed ${fed.join(', ')}, and has received ${arrived.join(', ')}`);
    else if (!ended && fed.length < arrived.length)
      this.#report('lost', `${id} was not fed ${arrived.slice(fed.length).join(', ')}`);
  }

  /** Checks that the channel has accepted exactly the messages of the transcript, in the same order. */
  #delivered({ id, lines }: Stored): void {
    const { messenger, ledger } = this.#options;
    const said = lines.filter(({ role }) => role === 'agent' || role === 'manual');
    const accepted = [...messenger.accepted.values()].filter(({ instance }) => instance === id);
    const texts = new Map(said.map((line) => [line.id, line.text]));
    for (const message of accepted)
      if (message.role === 'agent' && texts.get(message.id) !== message.text)
        this.#report(
          'twice',
          `${id} has sent "${message.text}" (${message.id}), which is not stored`,
        );
    const acceptedIds = new Set(accepted.map((message) => message.id));
    if (!ledger.cancelled.has(id))
      for (const line of said)
        if (!acceptedIds.has(line.id))
          this.#report('lost', `"${line.text}" (${line.id}) of ${id} was not delivered`);
    const order = said.filter(({ role }) => role === 'agent').map((line) => line.id);
    const arrival = accepted.filter(({ role }) => role === 'agent').map((message) => message.id);
    const expected = order.filter((each) => acceptedIds.has(each));
    if (expected.join() !== arrival.join())
      this.#report('H3', `messages of ${id} arrived as ${arrival.join()}, not ${expected.join()}`);
  }

  async #silent(id: string, reminders: number): Promise<void> {
    const stored = await this.#stored(id);
    this.#delivered(stored);
    if (this.#options.ledger.cancelled.has(id)) return;
    if (!stored.ended) this.#report('timer', `${id} is ${stored.status}, and not abandoned`);
    const spoken = stored.lines.filter(({ role }) => role === 'agent').length;
    if (spoken > reminders + 1)
      this.#report('twice', `${id} has sent ${spoken} messages instead of ${reminders + 1}`);
  }

  async #completed(id: string): Promise<Stored> {
    const stored = await this.#stored(id);
    if (stored.status !== 'COMPLETED' && !this.#options.ledger.cancelled.has(id))
      this.#report('lost', `${id} is ${stored.status}, and not completed`);
    return stored;
  }

  async #order(id: string): Promise<void> {
    const { store } = this.#options;
    const { status } = await this.#completed(id);
    if (status !== 'COMPLETED') return;
    const different = await differentOrderData(store, id);
    if (different) this.#report('damaged', `${id} has other data in ${different}`);
  }

  /**
   * Checks that each question is decided once, by the person with the acknowledgement, and that each call of a workflow has
   * started one child.
   */
  async #review(
    id: string,
    decided: readonly { readonly decision: string; readonly by: string }[],
  ): Promise<void> {
    const { store, ledger } = this.#options;
    const { items } = await store.list({ parent: id, kind: 'instance' }, { limit: 100 });
    const family = [id, ...items.map((child) => child.id)];
    const made = new Map<string, string>();
    for (const { id: member, journal } of await this.#allStored(family))
      for (const { source, event } of journal) {
        if (event.type !== 'decision.made' || source === 'step') continue;
        const name = `${member}/${event.id}`;
        if (made.has(name)) this.#report('twice', `${name} was decided twice`);
        made.set(name, event.by ?? 'nobody');
      }
    for (const { decision, by } of decided)
      if (made.get(decision) !== by)
        this.#report(
          'H1',
          `${decision} was acknowledged to ${by}, and is by ${made.get(decision)}`,
        );
    if (family.some((member) => ledger.cancelled.has(member))) return;
    await this.#completed(id);
    if (items.length !== 2) this.#report('H4', `${id} has ${items.length} children instead of 2`);
    const saved = await store.list({ parent: id, kind: 'checkpoint' }, { limit: 10 });
    if (saved.items.length !== 1)
      this.#report('lost', `${id} has ${saved.items.length} save points instead of 1`);
  }

  async #parcel(id: string, events: readonly string[]): Promise<void> {
    const { journal } = await this.#stored(id);
    const taken = journal
      .filter(({ source, event }) => source === 'step' && event.type === 'event.taken')
      .map(({ event }) => event.event?.type ?? '')
      .filter((type) => events.includes(type));
    if (!this.#options.ledger.cancelled.has(id) && taken.join() !== events.join())
      this.#report('H1', `${id} has taken ${taken.join()} instead of ${events.join()}`);
  }

  async #byHand(instance: string, text: string): Promise<void> {
    const { store, ledger } = this.#options;
    const record = await store.read(instance);
    if (!record && ledger.isErased(instance)) return;
    const { lines } = await this.#stored(instance);
    const times = lines.filter((line) => line.text === text).length;
    if (times !== 1)
      this.#report('H1', `"${text}" was acknowledged, and is ${times} times in ${instance}`);
  }

  /** Checks that nothing about the contact is left: no record, and no byte of its messages. */
  async #erased(contact: string): Promise<void> {
    const { store, disk } = this.#options;
    const { items } = await store.list({ contact: contact }, { limit: 10 });
    for (const { id } of items) this.#report('erased', `${id} of the erased ${contact} is stored`);
    for (const path of await disk.filesWith(`${contact} says`))
      this.#report('erased', `${path} still has messages of ${contact}`);
  }

  async #allStored(ids: readonly string[]): Promise<Stored[]> {
    const all: Stored[] = [];
    for (const id of ids) all.push(await this.#stored(id));
    return all;
  }

  async #stored(id: string): Promise<Stored> {
    const { store } = this.#options;
    const record = await store.read(id);
    if (!record) {
      this.#report('H1', `${id} was started and is not in the store`);
      return { id, status: 'missing', ended: true, lines: [], journal: [] };
    }
    return {
      id,
      status: record.status,
      ended: record.ended,
      lines: await readTranscript(store, id),
      journal: await readJournal(store, id),
    };
  }

  #report(rule: string, sentence: string): void {
    this.#options.violations.report(rule, sentence);
  }
}

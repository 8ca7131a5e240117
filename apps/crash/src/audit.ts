import { isDeepStrictEqual } from 'node:util';
import type { Store, TranscriptLine, UsageTotal } from '@dramaturg/host';
import type { StoreRecord } from '@dramaturg/host/store';
import { findStuck } from '@dramaturg/host/engine';
import { differentOrderData, readJournal, readTranscript } from '@dramaturg/testing';
import type { Ledger } from './crowd.ts';
import { reviewCounts, debateTurns, orderTaskCount } from './definitions.ts';
import type { World } from './world.ts';

/** The names of the counts. `turns` are those of debates. The last four are faults, and must be 0. */
export const totals = [
  'messages',
  'timers',
  'calls',
  'decisions',
  'turns',
  'lost',
  'duplicated',
  'reordered',
  'damaged',
] as const;

export const faultTotals = ['lost', 'duplicated', 'reordered', 'damaged'] as const;
type Fault = (typeof faultTotals)[number];

export interface Findings extends Record<(typeof totals)[number], number> {
  /** A sentence for each fault. */
  readonly complaints: string[];
}

/** Compares the acknowledgements that callers received with the store and with the requests that the world received. Closes the store. */
export async function audit(store: Store, ledger: Ledger, world: World): Promise<Findings> {
  try {
    return await new Audit(store, ledger, world).findings();
  } finally {
    await store.close();
  }
}

class Audit {
  readonly #store: Store;
  readonly #ledger: Ledger;
  readonly #world: World;
  readonly #found: Findings = {
    messages: 0,
    timers: 0,
    calls: 0,
    decisions: 0,
    turns: 0,
    lost: 0,
    duplicated: 0,
    reordered: 0,
    damaged: 0,
    complaints: [],
  };

  constructor(store: Store, ledger: Ledger, world: World) {
    this.#store = store;
    this.#ledger = ledger;
    this.#world = world;
  }

  async findings(): Promise<Findings> {
    const { chats, silent, jobs, orders, debates, heaps, reviews } = this.#ledger;
    const { damaged } = await this.#store.verify();
    for (const { id, reason } of damaged) this.#count('damaged', `${id}: ${reason}`);
    for (const id of this.#world.redelivered)
      this.#count('duplicated', `${id} was delivered again after its receipt`);
    for (const [id, sent] of chats) await this.#chat(id, sent);
    for (const [id, reminders] of silent) await this.#silence(id, reminders);
    for (const id of jobs) await this.#job(id);
    for (const id of orders) await this.#order(id);
    for (const id of debates) await this.#debate(id);
    for (const [id, lists] of heaps) await this.#heap(id, lists);
    for (const { id, reason } of await findStuck(this.#store))
      this.#count('lost', `${id} is stuck: ${reason}`);
    for (const [id, acknowledged] of reviews) await this.#review(id, acknowledged);
    return this.#found;
  }

  /** Checks that every message is stored once and answered once, that its answer is delivered once, and the order. */
  async #chat(id: string, sent: readonly string[]): Promise<void> {
    if (!(await this.#hasEnded(id, 'COMPLETED'))) return;
    const lines = await readTranscript(this.#store, id);
    const textsOf = (role: string) =>
      lines.filter((line) => line.role === role).map(({ text }) => text);
    this.#compare(`${id}: messages`, sent, textsOf('contact'));
    const [greeting, ...answers] = textsOf('agent');
    this.#compare(`${id}: greeting`, ['hello'], greeting === undefined ? [] : [greeting]);
    const answered = answers.flatMap((text) => text.slice('re: '.length).split('\n'));
    this.#compare(`${id}: answers`, sent, answered);
    this.#deliveries(id, lines);
    await this.#usage(id, answers.length + 1);
    this.#found.messages += sent.length + answers.length + 1;
  }

  /** Checks that each reminder is sent by a timer that fires once, and that the instance is abandoned after the last. */
  async #silence(id: string, reminders: number): Promise<void> {
    if (!(await this.#hasEnded(id, 'ABANDONED'))) return;
    const lines = await readTranscript(this.#store, id);
    const spoken = lines.filter(({ role }) => role === 'agent').map(({ text }) => text);
    this.#compare(
      `${id}: reminders`,
      Array.from({ length: reminders + 1 }, () => 'hello'),
      spoken,
    );
    const fired = (await readJournal(this.#store, id)).filter(
      ({ event }) => event.type === 'state.entered' && event.state === 'HEARTBEAT_SCHEDULED',
    );
    this.#expect(`${id}: timers`, reminders + 1, fired.length);
    this.#deliveries(id, lines);
    await this.#usage(id, reminders + 1);
    this.#found.timers += fired.length;
    this.#found.messages += spoken.length;
  }

  async #job(id: string): Promise<void> {
    if (!(await this.#hasEnded(id, 'COMPLETED'))) return;
    this.#expect(`${id}: calls`, 2, this.#callsOf(id));
    await this.#usage(id, 2);
    this.#found.timers += 1;
  }

  async #order(id: string): Promise<void> {
    if (!(await this.#hasEnded(id, 'COMPLETED'))) return;
    this.#expect(`${id}: calls`, orderTaskCount, this.#callsOf(id));
    await this.#usage(id, orderTaskCount);
    const waits = (await readJournal(this.#store, id)).filter(
      ({ event }) => event.type === 'state.exited' && event.state === 'Pause',
    );
    this.#expect(`${id}: timers`, 1, waits.length);
    this.#found.timers += waits.length;
    const different = await differentOrderData(this.#store, id);
    if (different) this.#count('damaged', `${id} has other data in ${different}`);
  }

  async #heap(id: string, lists: readonly (readonly number[])[]): Promise<void> {
    if (!(await this.#hasEnded(id, 'COMPLETED'))) return;
    const journal = await readJournal(this.#store, id);
    const end = journal.find(({ event }) => event.type === 'workflow.ended');
    if (!isDeepStrictEqual((end!.event as { output?: unknown }).output, lists))
      this.#count('damaged', `${id} has another output`);
  }

  /** Checks that every agent has spoken once in each round, in order. */
  async #debate(id: string): Promise<void> {
    if (!(await this.#hasEnded(id, 'COMPLETED'))) return;
    const { states, turns } = debateTurns;
    this.#expect(`${id}: calls`, states.length * turns.length, this.#callsOf(id));
    await this.#usage(id, states.length * turns.length);
    const journal = await readJournal(this.#store, id);
    for (const state of states) {
      const spoken = journal.filter(
        ({ event }) => event.type === 'debate.spoken' && event.state === state,
      );
      this.#compare(
        `${id}: what is said in ${state}`,
        turns,
        spoken.map(({ event }) => `${event.round} ${event.agent}`),
      );
    }
    this.#found.turns += turns.length * states.length;
  }

  /**
   * Checks that every question is decided once, by the person with the acknowledgement, and that each call of a child workflow
   * has started exactly one child.
   */
  async #review(id: string, acknowledged: ReadonlyMap<string, string>): Promise<void> {
    if (!(await this.#hasEnded(id, 'COMPLETED'))) return;
    const children = await this.#store.list({ parent: id, kind: 'instance' }, { limit: 100 });
    this.#expect(`${id}: children`, reviewCounts.children, children.items.length);
    this.#expect(`${id}: calls`, reviewCounts.ownCalls, this.#callsOf(id));
    const decided = await this.#decided(id, reviewCounts.own);
    for (const { id: child } of children.items) {
      if (!(await this.#hasEnded(child, 'COMPLETED'))) continue;
      this.#expect(`${child}: calls`, reviewCounts.callsOfChild, this.#callsOf(child));
      for (const [decision, by] of await this.#decided(child, 1)) decided.set(decision, by);
    }
    for (const [decision, by] of acknowledged) {
      const found = decided.get(decision) ?? 'nobody';
      if (found !== by)
        this.#count('lost', `${decision} was acknowledged to ${by}, and is by ${found}`);
    }
    const saved = (await readJournal(this.#store, id)).filter(
      ({ event }) => event.type === 'checkpoint.saved',
    );
    this.#expect(`${id}: save points`, 1, saved.length);
    const checkpoints = await this.#store.list({ parent: id, kind: 'checkpoint' }, { limit: 100 });
    this.#expect(`${id}: kept`, 1, checkpoints.items.length);
  }

  async #decided(id: string, count: number): Promise<Map<string, string>> {
    const entries = await readJournal(this.#store, id);
    const made = entries.filter(({ event }) => event.type === 'decision.made');
    const requested = entries.filter(({ event }) => event.type === 'decision.requested');
    this.#expect(`${id}: questions`, count, requested.length);
    this.#expect(`${id}: decisions`, count, made.length);
    this.#found.decisions += made.length;
    return new Map(made.map(({ event }) => [`${id}/${event.id}`, event.by ?? '']));
  }

  /** Counts calls by key: a call that was interrupted and repeated has the same key. */
  #callsOf(id: string): number {
    const keys = [...this.#world.calls.keys()].filter((key) => key.startsWith(`${id}/`));
    this.#found.calls += keys.length;
    return keys.length;
  }

  /** Checks that the usage of an answer is emitted once and counted once, even if its call was repeated. */
  async #usage(id: string, answers: number): Promise<void> {
    const emitted = (await readJournal(this.#store, id)).filter(
      ({ event }) => event.type === 'usage.recorded',
    );
    this.#expect(`${id}: usage emitted`, answers, emitted.length);
    this.#expect(
      `${id}: calls with usage`,
      answers,
      new Set(emitted.map(({ event }) => event.key)).size,
    );
    const record = await this.#store.read(id);
    const { used } = record!.snapshot as {
      readonly used?: Pick<UsageTotal, 'calls' | 'inputTokens'>;
    };
    this.#expect(`${id}: calls counted`, answers, used?.calls ?? 0);
    this.#expect(`${id}: tokens counted`, answers, used?.inputTokens ?? 0);
  }

  #deliveries(id: string, lines: readonly TranscriptLine[]): void {
    const decided = lines.filter(({ role }) => role === 'agent').map((line) => line.id);
    const deliveries = this.#world.accepted.filter(({ instance }) => instance === id);
    this.#compare(
      `${id}: deliveries`,
      decided,
      deliveries.map((message) => message.id),
    );
  }

  async #hasEnded(id: string, status: string): Promise<boolean> {
    let record: StoreRecord | undefined;
    try {
      record = await this.#store.read(id);
    } catch (error) {
      this.#count('damaged', `${id} cannot be read: ${(error as Error).message}`);
      return false;
    }
    if (record?.status === status) return true;
    const failed =
      record &&
      (await readJournal(this.#store, id)).find(({ event }) => event.type === 'call.failed');
    const because = failed?.event.error ? `: ${failed.event.error.message}` : '';
    this.#count(
      'lost',
      `${id} should be ${status} and is ${record?.status ?? 'missing'}${because}`,
    );
    return false;
  }

  #compare(what: string, wanted: readonly string[], found: readonly string[]): void {
    const missing = without(wanted, found);
    const extra = without(found, wanted);
    for (const item of missing) this.#count('lost', `${what}: ${item} is missing`);
    for (const item of extra) this.#count('duplicated', `${what}: ${item} is one too many`);
    if (missing.length > 0 || extra.length > 0) return;
    if (wanted.some((item, index) => item !== found[index]))
      this.#count('reordered', `${what}: ${found.join(', ')} instead of ${wanted.join(', ')}`);
  }

  #expect(what: string, wanted: number, found: number): void {
    if (found < wanted) this.#count('lost', `${what}: ${found} instead of ${wanted}`);
    if (found > wanted) this.#count('duplicated', `${what}: ${found} instead of ${wanted}`);
  }

  #count(kind: Fault, complaint: string): void {
    this.#found[kind] += 1;
    this.#found.complaints.push(`${kind}: ${complaint}`);
  }
}

/** Returns the items that another list lacks. A repeated item is returned as many times as the other list lacks it. */
function without(items: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const item of others) counts.set(item, (counts.get(item) ?? 0) + 1);
  return items.filter((item) => {
    const remaining = counts.get(item) ?? 0;
    counts.set(item, remaining - 1);
    return remaining <= 0;
  });
}

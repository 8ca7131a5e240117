import { isRecord, type Json } from '@dramaturg/compiler';
import { whyStuck } from '@dramaturg/host/engine';
import type {
  Change,
  Committed,
  NewRecord,
  Part,
  Receipt,
  StoreRecord,
} from '@dramaturg/host/store';
import type { Trace } from '../trace.ts';

/** The violations that the oracle has found. The first violation ends the run, because later ones may follow from it. */
export class Violations {
  readonly found: string[] = [];
  readonly #trace: Trace;

  constructor(trace: Trace) {
    this.#trace = trace;
  }

  get any(): boolean {
    return this.found.length > 0;
  }

  /** @param rule an invariant of docs/architecture.md, such as `H4`, or a word such as `lost` */
  report(rule: string, sentence: string): void {
    this.found.push(`${rule}: ${sentence}`);
    this.#trace.note('ORACLE', `${rule}: ${sentence}`);
  }
}

/** Maximum size of a snapshot with its parts, in UTF-16 units. A conversation of the crowd of any length needs a tenth of it. */
const snapshotMax = 100_000;

interface Held {
  readonly kind: string;
  revision: number;
  snapshot: Json;
  readonly contact: string | undefined;
  holds: boolean;
  ended: boolean;
  /** Letters of the outbox, by their ids. */
  readonly letters: Map<string, 'open' | 'settled' | 'received'>;
  readonly timers: Map<string, number>;
  /** The parts of its snapshot, by their keys. */
  readonly parts: Map<string, Json>;
}

/**
 * The writes that the store has acknowledged to the owner, record by record. Each write, read and effect is compared with them: a
 * call or message that is not stored must not leave (H2), and a settled one must not leave again (H4).
 */
export class StoredState {
  readonly #records = new Map<string, Held>();
  /** The record of each call, by the key of the call. */
  readonly #callers = new Map<string, { readonly id: string; readonly letter: string }>();
  readonly #violations: Violations;

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  created(record: NewRecord, { revision }: Committed): void {
    const held: Held = {
      kind: record.kind,
      revision,
      snapshot: record.snapshot,
      contact: record.contact,
      holds: isHolding(record.snapshot),
      ended: record.ended === true,
      letters: new Map(),
      timers: timersOf(record.timers ?? []),
      parts: partsOf(record.parts ?? []),
    };
    this.#records.set(record.id, held);
    for (const { id, body } of record.outbox ?? []) this.#open(record.id, held, id, body);
    this.#checkHolders(held.contact);
    this.#checkReasons(record.id, held);
  }

  committed(change: Change, { revision }: Committed): void {
    const held = this.#records.get(change.id);
    if (!held) return;
    if (revision !== held.revision + 1)
      this.#violations.report(
        'lost',
        `${change.id} went from revision ${held.revision} to ${revision}`,
      );
    held.revision = revision;
    for (const line of change.journal ?? []) this.#checkLine(change.id, held, line);
    for (const { id, body } of change.effects ?? []) this.#open(change.id, held, id, body);
    for (const id of change.settled ?? []) held.letters.set(id, 'settled');
    if (change.timers) {
      held.timers.clear();
      for (const [key, at] of timersOf(change.timers)) held.timers.set(key, at);
    }
    for (const key of change.parts?.removed ?? []) held.parts.delete(key);
    for (const [key, part] of partsOf(change.parts?.set ?? [])) held.parts.set(key, part);
    if (change.snapshot !== undefined) {
      held.snapshot = change.snapshot;
      held.holds = isHolding(change.snapshot);
      let size = JSON.stringify(change.snapshot).length;
      for (const part of held.parts.values()) size += JSON.stringify(part).length;
      if (size > snapshotMax)
        this.#violations.report('H8', `the snapshot of ${change.id} has ${size} characters`);
    }
    held.ended ||= change.ended === true;
    this.#checkHolders(held.contact);
    this.#checkReasons(change.id, held);
  }

  acknowledged({ id, letter }: Receipt): void {
    this.#records.get(id)?.letters.set(letter, 'received');
  }

  /** Notes that a record was, or may have been, deleted. */
  deleted(id: string): void {
    this.#records.delete(id);
  }

  /**
   * Checks a record that the store returned. It may or may not include a write of unknown outcome, but must include acknowledged
   * ones.
   */
  read(id: string, record: StoreRecord | undefined, revisionBefore: number): void {
    // The record was deleted during the call.
    if (revisionBefore > 0 && !this.#records.has(id)) return;
    if ((record?.revision ?? 0) < revisionBefore)
      this.#violations.report(
        'lost',
        `${id} is at revision ${record?.revision ?? 'none'}, and ${revisionBefore} was acknowledged`,
      );
    if (!record) return;
    const { kind, revision, outbox, timers, ended, contact, snapshot, parts } = record;
    const before = this.#records.get(id);
    if (before && before.revision > revision) return;
    const held: Held = {
      kind,
      revision,
      snapshot: structuredClone(snapshot),
      contact,
      ended,
      holds: isHolding(snapshot),
      letters: new Map(before?.letters),
      timers: timersOf(timers),
      parts: structuredClone(partsOf(parts)),
    };
    const open = new Set(outbox.map((letter) => letter.id));
    for (const [letter, state] of held.letters)
      if (state === 'open' && !open.has(letter)) held.letters.set(letter, 'settled');
    this.#records.set(id, held);
    for (const letter of outbox)
      // A receipt may be read before its write is reported.
      if (held.letters.get(letter.id) !== 'received') this.#open(id, held, letter.id, letter.body);
  }

  /** The records that had not ended when they were last seen. */
  get unended(): readonly string[] {
    return Array.from(this.#records).flatMap(([id, { ended }]) => (ended ? [] : [id]));
  }

  revisionOf(id: string): number {
    return this.#records.get(id)?.revision ?? 0;
  }

  /** Forgets receipts after a power cut, which may lose the newest ones: their messages are sent again. */
  forgetReceipts(): void {
    for (const { letters } of this.#records.values())
      for (const [letter, state] of letters) if (state === 'received') letters.set(letter, 'open');
  }

  /** The record of a call; undefined when no acknowledged write has the call. */
  callerOf(key: string): string | undefined {
    return this.#callers.get(key)?.id;
  }

  checkCall(port: string, key: string): void {
    const caller = this.#callers.get(key);
    if (!caller) {
      this.#violations.report('H2', `${port} was called with the key ${key}, which is not stored`);
      return;
    }
    const state = this.#records.get(caller.id)?.letters.get(caller.letter);
    if (state !== 'open')
      this.#violations.report('H4', `${port} was called with the key ${key}, which is ${state}`);
  }

  checkMessage(instance: string, message: string): void {
    const state = this.#records.get(instance)?.letters.get(`message:${message}`);
    if (state === undefined)
      this.#violations.report('H2', `message ${message} of ${instance} left and is not stored`);
    else if (state !== 'open')
      this.#violations.report('twice', `message ${message} left again after it was ${state}`);
  }

  #open(id: string, held: Held, letter: string, body: Json): void {
    held.letters.set(letter, 'open');
    if (!isRecord(body) || body['kind'] !== 'call') return;
    this.#callers.set(letter.slice(letter.indexOf(':') + 1), { id, letter });
  }

  #checkLine(id: string, held: Held, line: Json): void {
    if (!isRecord(line) || line['source'] !== 'step' || !isRecord(line['event'])) {
      const type = isRecord(line) && isRecord(line['event']) ? line['event']['type'] : undefined;
      if (held.ended && (type === 'turn.started' || type === 'message.recorded'))
        this.#violations.report('H7', `${id} has ended, and has the event ${type}`);
      return;
    }
    const { type, call } = line['event'];
    if ((type !== 'call.answered' && type !== 'call.failed') || typeof call !== 'string') return;
    const dueAt = held.timers.get(call);
    const firedAt = firedAtIn(line['event']['output']) ?? Number(line['at']);
    if (dueAt !== undefined && firedAt < dueAt)
      this.#violations.report('H5', `a timer of ${id} fired ${dueAt - firedAt} ms early`);
    if (dueAt === undefined && held.letters.get(call) === 'settled')
      this.#violations.report('H4', `the call ${call} of ${id} was answered a second time`);
  }

  #checkReasons(id: string, held: Held): void {
    const { kind, ended, snapshot, parts, letters, timers } = held;
    const open = [...letters].filter(([, state]) => state === 'open');
    const reason = whyStuck({
      id,
      kind,
      ended,
      snapshot: structuredClone(snapshot),
      parts: Array.from(structuredClone(parts), ([key, value]) => ({ key, value })),
      outbox: open.map(([letter]) => ({ id: letter })),
      timers: Array.from(timers, ([key, at]) => ({ key, at })),
    });
    if (reason !== undefined) this.#violations.report('H9', `${id} is stuck: ${reason}`);
  }

  #checkHolders(contact: string | undefined): void {
    if (contact === undefined) return;
    const holders: string[] = [];
    for (const [id, held] of this.#records)
      if (held.contact === contact && held.holds && !held.ended) holders.push(id);
    if (holders.length > 1)
      this.#violations.report('contact', `${holders.join(' and ')} hold ${contact}`);
  }
}

/** The time at which a timer fired. The clock may have been set back between this time and the step. */
function firedAtIn(output: Json | undefined): number | undefined {
  const firedAt = isRecord(output) ? output['firedAt'] : undefined;
  return typeof firedAt === 'number' ? firedAt : undefined;
}

function isHolding(snapshot: Json): boolean {
  return isRecord(snapshot) && snapshot['holds'] === true;
}

function timersOf(timers: readonly { readonly key: string; readonly at: number }[]) {
  return new Map(timers.map(({ key, at }) => [key, at]));
}

function partsOf(parts: readonly Part[]) {
  return new Map(parts.map(({ key, value }) => [key, value]));
}

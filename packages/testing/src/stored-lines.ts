import type { Json } from '@dramaturg/compiler';
import { readJournal as readJournalLines, type Source, stateOf } from '@dramaturg/host/engine';
import type { TranscriptLine, Store } from '@dramaturg/host';
import type { LineRange } from '@dramaturg/host/store';
import { orderInput } from './definitions.ts';

/** A line of a stored journal: an event, or the input of a step. The fields of the event are those that audits compare. */
export interface JournalEntry {
  readonly source: Source | 'step';
  readonly event: {
    readonly type: string;
    readonly state?: string;
    readonly input?: unknown;
    readonly key?: string;
    readonly id?: string;
    readonly by?: string;
    readonly round?: number;
    readonly agent?: string;
    readonly error?: { readonly message: string };
    /** The event that was the input of a step. */
    readonly event?: { readonly type: string };
  };
}

/** Reads the whole journal of a record. */
export async function readJournal(store: Store, id: string): Promise<readonly JournalEntry[]> {
  return (await readAll((range) =>
    readJournalLines(store, id, range),
  )) as unknown as JournalEntry[];
}

/** The states of an order that get the whole input. */
const statesWithInput = ['Prepare', 'Pack', 'Invoice'];

/** Describes where a stored order has other data than its input; undefined when it has the input everywhere. */
export async function differentOrderData(store: Store, id: string): Promise<string | undefined> {
  const expected = JSON.stringify(orderInput);
  const state = stateOf((await store.read(id))!);
  if (JSON.stringify(state.input['input']) !== expected) return 'the snapshot';
  const lines = await readJournal(store, id);
  const entries = lines.filter(
    ({ event: { type, state: name = '' } }) =>
      type === 'state.entered' && statesWithInput.includes(name),
  );
  const isComplete = entries.length === statesWithInput.length;
  if (!isComplete) return `${entries.length} lines instead of ${statesWithInput.length}`;
  const other = entries.find(({ event }) => JSON.stringify(event.input) !== expected);
  return other && `the line of the state ${other.event.state}`;
}

/** Reads the whole transcript of a record. */
export async function readTranscript(store: Store, id: string): Promise<readonly TranscriptLine[]> {
  return (await readAll((range) => store.transcript(id, range))) as TranscriptLine[];
}

const linesPerRead = 10_000;

async function readAll(read: (range: LineRange) => Promise<readonly Json[]>): Promise<Json[]> {
  const lines: Json[] = [];
  for (;;) {
    const part = await read({ from: lines.length, limit: linesPerRead });
    lines.push(...part);
    if (part.length < linesPerRead) return lines;
  }
}

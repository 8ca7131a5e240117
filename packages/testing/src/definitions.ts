import {
  type AnyFormat,
  type Chart,
  compile,
  type Json,
  type JsonObject,
} from '@dramaturg/compiler';
import type { Store, TranscriptLine } from '@dramaturg/host';
import { readJournal as readJournalLines, type Source, stateOf } from '@dramaturg/host/engine';
import type { LineRange } from '@dramaturg/host/store';

/**
 * Compiles a definition of one format.
 *
 * @throws Error with all findings when it has errors
 */
export function chartOf(definition: object, format: AnyFormat): Chart {
  const { chart, diagnostics } = compile(JSON.stringify(definition), { formats: [format] });
  if (chart) return chart;
  throw new Error(diagnostics.map(({ message }) => message).join('\n'));
}

export interface OrderOptions {
  /** The seconds between packing and sending. */
  readonly pauseSeconds: number;
  /** More fields of each task, such as `Retry`. */
  readonly task?: JsonObject;
}

/** A workflow that packs the parts of an order, two at a time, in parallel with the invoice, waits, and sends it. */
export function orderWorkflow({ pauseSeconds, task = {} }: OrderOptions): JsonObject {
  const taskOf = (resource: string) => ({ Type: 'Task', Resource: resource, ...task, End: true });
  return {
    StartAt: 'Prepare',
    States: {
      Prepare: {
        Type: 'Parallel',
        Branches: [
          {
            StartAt: 'Pack',
            States: {
              Pack: {
                Type: 'Map',
                ItemsPath: '$.parts',
                MaxConcurrency: 2,
                Iterator: { StartAt: 'PackPart', States: { PackPart: taskOf('pack') } },
                End: true,
              },
            },
          },
          { StartAt: 'Invoice', States: { Invoice: taskOf('invoice') } },
        ],
        Next: 'Pause',
      },
      Pause: { Type: 'Wait', Seconds: pauseSeconds, Next: 'Send' },
      Send: taskOf('send'),
    },
  };
}

/** The input of an order with three parts. It is so large that it is stored as a part of the record, and only once in the journal. */
export const orderInput = {
  parts: ['a', 'b', 'c'],
  catalogue: Array.from({ length: 60 }, (_, index) => `This is line ${index} of the catalogue.`),
};

/** A workflow for a parent: an agent reads, and a person gives an opinion. @param task more fields of the agent's task */
export function opinionWorkflow(task: JsonObject = {}): JsonObject {
  return {
    StartAt: 'Read',
    States: {
      Read: { Type: 'Task', Agent: 'read', ...task, Next: 'Judge' },
      Judge: { Type: 'Approval', Prompt: 'Opinion?', End: true },
    },
  };
}

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

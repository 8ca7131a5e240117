import { isRecord } from '@dramaturg/compiler';
import { queueNames, type QueueName } from '../instance/attention.ts';
import { type Owner, ownerAt } from '../instance/claim.ts';
import type { TranscriptLine } from '../instance/event.ts';
import { stateOf } from '../instance/snapshot-parts.ts';
import type { StoreReader, StoreRecord } from '../store/contract.ts';
import type { StatePosition } from './standing.ts';
import type { InstanceView } from './view.ts';

/** How many instances wait in each queue of people's work, and how many have not ended. */
export type QueueCounts = Readonly<Record<QueueName | 'all', number>>;

export async function countQueues(store: StoreReader): Promise<QueueCounts> {
  const [all, ...counts] = await Promise.all([
    store.count({ kind: 'instance', ended: false }),
    ...queueNames.map((queue) => store.count({ queue })),
  ]);
  const named = Object.fromEntries(queueNames.map((name, index) => [name, counts[index]!]));
  return { ...(named as Record<QueueName, number>), all };
}

/** The last message of the contact, or, before the first one, the last line that the contact has read. */
export type LastLine = Pick<TranscriptLine, 'role' | 'text' | 'at' | 'by'>;

/** The fields of an instance in a list of people's work. */
export interface DeskFields {
  /** The states in which it rests, in the words of its author: `Documents › Ask for the invoice`. */
  readonly place: string;
  readonly lastLine?: LastLine;
}

/** How many lines at the end of a transcript are searched for one that the host has not written. */
const linesSearched = 16;

/** The number of characters of the last line in a list. */
const lastLineMax = 240;

export async function deskFieldsOf(
  store: StoreReader,
  { id, transcriptLength, states, state }: InstanceView,
): Promise<DeskFields> {
  const from = Math.max(0, transcriptLength - linesSearched);
  const lines = (await store.transcript(id, { from, limit: linesSearched })) as TranscriptLine[];
  const last =
    lines.findLast(({ role, word }) => role === 'contact' && word === undefined) ??
    lines.findLast(({ role }) => role !== 'system');
  return { place: placeIn(states) || state, ...(last ? { lastLine: shortened(last) } : {}) };
}

function shortened({ role, text, at, by }: TranscriptLine): LastLine {
  return { role, text: shortText(text, lastLineMax), at, ...(by === undefined ? {} : { by }) };
}

/** Cuts a string without cutting a surrogate pair. */
export function shortText(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = /[\uD800-\uDBFF]/.test(text[max - 2]!) ? max - 2 : max - 1;
  return `${text.slice(0, end)}…`;
}

/** Names the first few of the states. */
function placeIn(states: readonly StatePosition[]): string {
  const names = states.map(({ path }) => path.map(({ state }) => state).join(' › '));
  const [shown, rest] = [names.slice(0, 3).join(', '), names.length - 3];
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

/** @returns undefined without a claim, and when it has expired */
export function ownerOf(record: StoreRecord, now: number): Owner | undefined {
  return isRecord(record.snapshot) ? ownerAt(stateOf(record).claim, now) : undefined;
}

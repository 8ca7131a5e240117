import type { InspectorEvent } from '../../../src/events.ts';
import { isSame } from './diff.ts';
import type { Moment } from './playback.ts';

/** Something that people recognise a run by: what was said, decided, entered or collected. */
export interface Doing {
  /** The number of its moment: of the step in a stored run. */
  readonly moment: number;
  readonly words: string;
  /** What is compared. Ids of the run, times and keys are no part of it. */
  readonly content: unknown;
}

/** Two runs side by side. `difference` is the place of the first difference; undefined when they are the same. */
export interface Comparison {
  readonly one: readonly Doing[];
  readonly other: readonly Doing[];
  readonly difference: number | undefined;
}

export function compareRuns(one: readonly Doing[], other: readonly Doing[]): Comparison {
  const longest = Math.max(one.length, other.length);
  let place = 0;
  while (place < longest && isSame(one[place]?.content, other[place]?.content)) place += 1;
  return { one, other, difference: place < longest ? place : undefined };
}

/** A part of a recording, or all of it. */
export interface RecordedPart {
  readonly events: readonly InspectorEvent[];
  readonly moments: readonly Moment[];
}

/** The fields of events that are different in each run, or that say when. */
const incidental = new Set([
  'id',
  'key',
  'turn',
  'instance',
  'conversation',
  'at',
  'enteredAt',
  'startedAt',
  'updatedAt',
  'due_at',
  'token',
  'index',
]);

export function doingsIn({ events, moments }: RecordedPart): readonly Doing[] {
  const doings: Doing[] = [];
  let place = 0;
  for (const [index, event] of events.entries()) {
    while (place < moments.length - 1 && index >= moments[place]!.to) place += 1;
    const isFromOutside = event.type === '@xstate.event' && event.sourceId === undefined;
    if (event.type !== '@dramaturg.emitted' && !isFromOutside) continue;
    const { type, ...fields } = event.event;
    if (type.startsWith('xstate.')) continue;
    const content = { type, ...withoutIncidental(fields) };
    // A lifecycle repeats what its flow says.
    if (isSame(doings.at(-1)?.content, content)) continue;
    doings.push({ moment: moments[place]?.number ?? 0, words: wordsOf(type, content), content });
  }
  return doings;
}

/** The fields inside of `output` are an author's, except for the time of the port of timers. */
function withoutIncidental(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { firedAt, ...output } = Object(fields['output']) as Record<string, unknown>;
  const known = firedAt === undefined ? fields : { ...fields, output };
  return Object.fromEntries(Object.entries(known).filter(([name]) => !incidental.has(name)));
}

function wordsOf(type: string, content: Readonly<Record<string, unknown>>): string {
  const fields: Readonly<Record<string, unknown>> = { ...content, type: undefined };
  const { text, title, state, deliverable, value } = fields;
  if (typeof text === 'string') return `${type}: ${text}`;
  if (typeof deliverable === 'string') return `${type}: ${deliverable} = ${JSON.stringify(value)}`;
  const name = title ?? state;
  if (typeof name === 'string') return `${type}: ${name}`;
  const rest = JSON.stringify(fields);
  return rest === '{}' ? type : `${type}: ${rest}`;
}

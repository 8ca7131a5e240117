import type { InspectorEvent } from '../../../src/events.ts';
import { messagesOf } from './connection.ts';
import { isSame } from './diff.ts';
import { type Moment, Playback } from './playback.ts';

export interface LoadOptions {
  /** The last step to load; the latest when undefined. */
  readonly until?: number | undefined;
  /** Called after each part of a long run. `first` is the first step that is loaded, `last` the last one. */
  readonly onProgress?: (first: number, last: number) => void;
}

/** Loads the doings of a whole run, up to now. */
export async function loadDoings(
  id: string,
  signal: AbortSignal,
  options: LoadOptions = {},
): Promise<readonly Doing[]> {
  return (await loadParts(id, signal, doingsIn, options)).flat();
}

/**
 * Loads a whole run, up to now. The server sends the last part of a long run, so the parts before it follow.
 *
 * @param read returns what to keep of each part
 */
export async function loadParts<Part>(
  id: string,
  signal: AbortSignal,
  read: (part: Playback) => Part,
  { until, onProgress }: LoadOptions = {},
): Promise<readonly Part[]> {
  const parts: Part[] = [];
  let last: number | undefined;
  for (let end = until; end === undefined || end > 0;) {
    const part = await loadPart(id, end, signal);
    parts.push(read(part));
    const { moments, isStored } = part;
    const first = moments[0]?.number;
    if (!isStored || first === undefined || first === 1) break;
    last ??= moments.at(-1)!.number;
    onProgress?.(first, last);
    end = first - 1;
  }
  return parts.toReversed();
}

async function loadPart(
  id: string,
  until: number | undefined,
  signal: AbortSignal,
): Promise<Playback> {
  const part = until === undefined ? '' : `?until=${until}`;
  const path = `/api/runs/${encodeURIComponent(id)}/recording${part}`;
  // The server follows a run until the request ends.
  const reading = new AbortController();
  const response = await fetch(path, { signal: AbortSignal.any([signal, reading.signal]) });
  if (!response.ok) throw new Error(`The run "${id}" could not be loaded.`);
  let playback = new Playback();
  for await (const message of messagesOf(response)) {
    if (message.kind === 'recording') playback = new Playback(message);
    else if (message.kind === 'actors') playback.know(message.actors);
    else if (message.kind === 'events') playback.append(message.events);
    // The status follows the recording, except while its steps are repeated.
    else if (message.because === undefined) break;
  }
  reading.abort();
  return playback;
}

/** A thing in a run that people recognise: a message, a decision, an entered state or a collected value. */
export interface Doing {
  /** The number of its moment; in a stored run, the step. */
  readonly moment: number;
  readonly words: string;
  /** The compared content, without ids of the run, times and keys. */
  readonly content: unknown;
}

/** Two runs side by side. `difference` is the index of the first difference; undefined when they are the same. */
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
interface RecordedPart {
  readonly events: readonly InspectorEvent[];
  readonly moments: readonly Moment[];
}

/** Fields of events that differ in each run, or that are times. */
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

/** The fields inside `output` belong to the author, except for the time from the port for timers. */
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

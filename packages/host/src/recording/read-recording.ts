import { isRecord } from '@dramaturg/compiler';
import { inEnglish } from '@dramaturg/compiler/shapes';
import type { z } from 'zod/mini';
import { type Entry, entrySchema, formVersion, header, type Header } from './entry.ts';
import { RecordingError } from './recording.ts';

/** A recording that was read and checked. The entry at `index` is line `index + 2` of the file. */
export interface RecordedRun {
  /** Its name in error messages. */
  readonly name: string;
  readonly header: Header;
  /** The entries. Only the last one is `end`. */
  readonly entries: readonly Entry[];
}

const mostCharacters = 100_000_000;

/**
 * Reads a recording as untrusted data: every line is checked before it is used.
 *
 * @param name its name in error messages, such as the name of the file
 * @throws RecordingError `recording/unusable`
 *
 * @example
 * ```ts
 * let written = '';
 * const recording = record({
 *   write: (lines) => (written += lines),
 *   chart: pricing.chart!,
 *   input: { month: 'March' },
 * });
 * await recording.finish();
 * console.log(readRecording(written, 'price.recording').header.input); // → { month: 'March' }
 * ```
 */
export function readRecording(text: string, name: string): RecordedRun {
  const title = `The recording "${name}"`;
  if (text.length > mostCharacters)
    throw new RecordingError(
      'recording/unusable',
      `${title} has more than ${mostCharacters / 1_000_000} million characters.`,
      'A recording covers one run. Check that it is the right file.',
    );
  const lines = text.split('\n');
  const tail = lines.pop()!;
  const first = parsed(lines[0] ?? tail);
  const head = header.safeParse(first);
  if (!head.success) throw foreign(name, first);
  if (head.data.version !== formVersion) throw otherVersion(title, head.data.version);
  // A last line without a line break was cut off while it was written.
  if (tail !== '') throw tornAt(title, lines.length + 1);

  const entries = lines.slice(1).map((line, index): Entry => {
    const at = index + 2;
    const value = parsed(line);
    if (value === undefined) throw damagedAt(title, at, 'is not JSON');
    const found = entrySchema.safeParse(value, inEnglish);
    if (!found.success) throw damagedAt(title, at, `is not an entry: ${reasonIn(found.error)}`);
    return found.data;
  });
  const end = entries.findIndex(({ type }) => type === 'end');
  if (end === -1) throw tornAt(title, lines.length + 1);
  if (end < entries.length - 1)
    throw damagedAt(title, end + 3, 'comes after the end of the recording');
  return { name, header: head.data, entries };
}

/** Whether the ports needed the next reply (`PortWishes`), so that a replay makes the same inputs. */
export function hasNextReplies({ entries }: RecordedRun): boolean {
  return entries.some(
    (entry) => entry.type === 'call' && isRecord(entry.input) && 'reply' in entry.input,
  );
}

/** The deepest nesting of a line. Inputs and outputs of ports are less deep. */
const deepest = 1_100;

/** Undefined when the line is not JSON, or so deeply nested that walking it could overflow the stack. */
function parsed(line: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) return undefined;
    level = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? Object.values(each) : [],
    );
  }
  return value;
}

function reasonIn({ issues }: z.core.$ZodError): string {
  const [{ path, message } = { path: [], message: 'it has another form' }] = issues;
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}

function foreign(name: string, first: unknown): RecordingError {
  const what = first === undefined ? 'is not JSON' : 'is not the header of a recording';
  return new RecordingError(
    'recording/unusable',
    `"${name}" is not a recording: line 1 ${what}.`,
    'Name a file that was written with --record.',
    1,
  );
}

function otherVersion(title: string, version: number): RecordingError {
  return new RecordingError(
    'recording/unusable',
    `${title} has version ${version} of the file's form, and this version of Dramaturg reads version ${formVersion}.`,
    'Record the run again, or replay it with the version of Dramaturg that recorded it.',
    1,
  );
}

function tornAt(title: string, line: number): RecordingError {
  return new RecordingError(
    'recording/unusable',
    `${title} is cut off at line ${line}: the run that wrote it did not end.`,
    'Record the run again.',
    line,
  );
}

function damagedAt(title: string, line: number, what: string): RecordingError {
  return new RecordingError(
    'recording/unusable',
    `${title} is damaged: line ${line} ${what}.`,
    'Restore the file from an undamaged copy, or record the run again.',
    line,
  );
}

import { isRecord, type Json } from '@dramaturg/compiler';
import { visible } from '@dramaturg/compiler/text';
import type { HostEvent, TranscriptLine } from '@dramaturg/host';
import { type Output, type Style, visibleJson, jsonLine } from '../../output.ts';
import { paragraph } from '../../view/paragraph.ts';
import { localTime, localTimeMs } from './time.ts';

const colours: Readonly<Record<TranscriptLine['role'], Style>> = {
  agent: 'cyan',
  contact: 'green',
  manual: 'yellow',
  system: 'dim',
};

/** Writes a line of a transcript: time, role, and text in its own column, with the report of its delivery. */
export function writeTranscriptLine(output: Output, line: TranscriptLine): void {
  const { at, role, text, delivery } = line;
  const { paint } = output;
  const when = localTime(at);
  const label = `${paint('dim', when)}  ${paint(colours[role] ?? 'dim', visible(role).padEnd(8))} `;
  const said = paragraph(output, label, when.length + 11);
  said.say(text);
  if (delivery) said.say(` ${noteOf(delivery)}`);
  said.end();
}

/** Several changes of the state in a row are one line: `WAITING_FOR_REPLY → WAITING_FOR_AGENT → ACTIVE`, with the time of the last. */
export function foldStateChanges(lines: readonly TranscriptLine[]): readonly TranscriptLine[] {
  const folded: TranscriptLine[] = [];
  for (const line of lines) {
    const before = folded.at(-1);
    const text = before && joinedChanges(before, line);
    if (text === undefined) folded.push(line);
    else folded[folded.length - 1] = { ...line, text };
  }
  return folded;
}

const arrow = ' → ';

/** @returns undefined unless the second line starts in the state in which the first one ends */
function joinedChanges(first: TranscriptLine, second: TranscriptLine): string | undefined {
  if (first.role !== 'system' || second.role !== 'system') return undefined;
  const at = second.text.indexOf(arrow);
  if (at < 0) return undefined;
  const state = second.text.slice(0, at);
  const reached = first.text.split(arrow).at(-1);
  return reached === state ? `${first.text}${second.text.slice(at)}` : undefined;
}

function noteOf({ status, reason }: NonNullable<TranscriptLine['delivery']>): string {
  return reason === undefined ? `(${status})` : `(${status}: ${reason})`;
}

/** Writes a line of a journal, or an event of a host: time, instance, source, type and fields. */
export function writeEventLine(
  { write, paint }: Output,
  { at, source, event }: Pick<HostEvent, 'at' | 'source' | 'event'>,
  instance?: string,
): void {
  const { type, ...fields } = event;
  const rest = Object.keys(fields).length > 0 ? ` ${visibleJson(JSON.stringify(fields))}` : '';
  const whose = instance === undefined ? '' : `${visible(instance)}  `;
  write(
    `${paint('dim', localTimeMs(at))}  ${whose}${paint('dim', visible(source).padEnd(9))} ${visible(type)}${paint('dim', rest)}\n`,
  );
}

/** Writes a line of a stored journal. A line that is not an event is printed as JSON. */
export function writeJournalLine(output: Output, line: Json): void {
  const fields = isRecord(line) ? line : {};
  if (typeof fields['at'] === 'number' && isRecord(fields['event']))
    writeEventLine(output, fields as never);
  else output.write(jsonLine(line));
}

import type { Output } from '../../output.ts';
import { paragraph } from '../../view/paragraph.ts';
import { fitted, widthOf } from '../../view/width.ts';
import { visibleJson, visibleText } from '../../visible.ts';
import { bytes } from './bytes.ts';

/** How many lines a value may take unless all of it is wanted. */
const linesMost = 4;

export interface DataOptions {
  /** Prints all of the value, a JSON value over several lines. */
  readonly full: boolean;
  /** The columns before the value. */
  readonly indent: number;
}

/** Prints a JSON value behind a label, shortened to a few lines. */
export function writeData(
  output: Output,
  label: string,
  value: unknown,
  options: DataOptions,
): void {
  const { full } = options;
  const text =
    typeof value === 'string' && full ? value : JSON.stringify(value, undefined, full ? 2 : 0);
  writeLong(output, label, full ? text : visibleJson(text), options);
}

/** Prints a text behind a label, shortened to a few lines. */
export function writeLong(
  output: Output,
  label: string,
  text: string,
  { full, indent }: DataOptions,
): void {
  const margin = ' '.repeat(indent);
  if (full) {
    output.write(`${label}${visibleText(text).replaceAll('\n', `\n${margin}`)}\n`);
    return;
  }
  // Most of a large value is never shown, so its width is not computed.
  const room = Math.max(20, output.width() - indent) * linesMost;
  const start = text.length > room ? text.slice(0, room) : text;
  const isWhole = start === text && widthOf(text) <= room && text.split('\n').length <= linesMost;
  const lines = start.split('\n').slice(0, linesMost).join('\n');
  const shown = isWhole ? text : fitted(`${lines}…`, room - output.width()).replace(/…*$/u, '…');
  const size = `(${bytes(Buffer.byteLength(text))}; --full shows all)`;
  if (!output.isTerminal) {
    const more = isWhole ? '' : ` ${size}`;
    output.write(`${label}${visibleText(shown).replaceAll('\n', `\n${margin}`)}${more}\n`);
    return;
  }
  const written = paragraph(output, label, indent);
  written.say(shown);
  written.end();
  if (!isWhole) output.write(`${margin}${size}\n`);
}

import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { type Checked, printPretty } from '@dramaturg/compiler';
import { visible } from '@dramaturg/compiler/text';
import { titleOf } from './files.ts';

export type Style = Parameters<typeof styleText>[0];

/** A stream for text, with colours and a width. */
export interface Output {
  readonly write: (text: string) => void;
  /** Colours the text if the stream is a terminal and NO_COLOR is not set. */
  readonly paint: (style: Style, text: string) => string;
  readonly colour: boolean;
  readonly isTerminal: boolean;
  /** Columns of the terminal at this moment, because windows are resized; 80 for other streams. */
  readonly width: () => number;
}

export function outputTo(stream: Writable & { columns?: number; isTTY?: boolean }): Output {
  const paint = (style: Style, text: string) => styleText(style, text, { stream });
  return {
    write: (text) => void stream.write(text),
    paint,
    colour: paint('red', 'x') !== 'x',
    isTerminal: stream.isTTY === true,
    width: () => Math.max(20, stream.columns || 80),
  };
}

/** `dramaturg ... | head` closes the pipe early, which is not an error. */
export function endQuietlyOnBrokenPipe(stream: Writable): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
}

/** Makes the control characters of a text visible, except line breaks and tabs. */
export function visibleText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .split(/([\n\t])/u)
    .map((part) => (part === '\n' || part === '\t' ? part : visible(part)))
    .join('');
}

/** Escapes the characters that a terminal would interpret. The JSON keeps its meaning. */
export function visibleJson(json: string): string {
  return json.replace(
    /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A value as JSON of several lines, for a terminal. */
export function jsonText(value: unknown): string {
  return `${visibleJson(JSON.stringify(value, undefined, 2))}\n`;
}

/** A value as one line of JSON, for a terminal. */
export function jsonLine(value: unknown): string {
  return `${visibleJson(JSON.stringify(value))}\n`;
}

/** Prints errors and warnings on standard error: standard output is for results. */
export function printProblems(
  { diagnostics, source }: Pick<Checked, 'diagnostics' | 'source'>,
  file: string,
): void {
  const problems = diagnostics.filter(({ severity }) => severity !== 'info');
  if (problems.length === 0) return;
  const { colour, width, write } = outputTo(process.stderr);
  const text = printPretty(
    problems,
    { text: source.text, fileName: titleOf(file) },
    { colour, width: width() },
  );
  write(`${text.trimEnd()}\n`);
}

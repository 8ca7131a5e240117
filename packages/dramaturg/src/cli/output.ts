import type { Writable } from 'node:stream';
import { styleText } from 'node:util';

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

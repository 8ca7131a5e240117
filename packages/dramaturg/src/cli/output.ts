import type { Writable } from 'node:stream';
import { styleText } from 'node:util';

export type Style = Parameters<typeof styleText>[0];

/** A stream to write to, and what can be done with it. */
export interface Output {
  readonly write: (text: string) => void;
  /** Colours the text, where the stream is a terminal and NO_COLOR is not set. */
  readonly paint: (style: Style, text: string) => string;
  readonly colour: boolean;
  readonly isTerminal: boolean;
  /** Columns of the terminal, asked anew each time because windows change; 80 when it is none. */
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

/** `dramaturg ... | head`: nobody reads any more, and that is nobody's mistake. */
export function endQuietlyOnBrokenPipe(stream: Writable): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
}

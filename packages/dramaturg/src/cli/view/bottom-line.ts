import type { WriteStream } from 'node:tty';
import { fitted } from './width.ts';

type Write = WriteStream['write'];

/**
 * Keeps a line below everything that the process prints to its terminal: other output, also of other code, appears above it.
 * Invariant: after every write that ends a line, the cursor is behind the line, which is the last one on the screen.
 */
export class BottomLine {
  readonly #screen: WriteStream;
  /** Standard output and standard error, unless one goes to a file. */
  readonly #streams: ReadonlyMap<WriteStream, Write>;
  readonly #style: (text: string) => string;
  #text = '';
  #isAtLineStart = true;
  #isShown = false;

  /** @param style colours the line */
  constructor(streams: readonly WriteStream[], style: (text: string) => string) {
    const terminals = streams.filter(({ isTTY }) => isTTY);
    this.#screen = terminals[0]!;
    this.#streams = new Map(terminals.map((stream) => [stream, Reflect.get(stream, 'write')]));
    this.#style = style;
    for (const [stream, write] of this.#streams) {
      stream.write = ((...args: Parameters<Write>) => {
        this.#hide();
        const isTaken = write.apply(stream, args);
        const [chunk] = args as unknown as [string | Uint8Array];
        if (chunk.length > 0)
          this.#isAtLineStart = chunk.at(-1) === '\n' || chunk.at(-1) === newLine;
        this.#draw();
        return isTaken;
      }) as Write;
    }
    this.#screen.on('resize', this.#redraw);
  }

  show(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#redraw();
  }

  /** Removes the line and gives the streams back. */
  end(): void {
    this.#hide();
    this.#text = '';
    this.#screen.off('resize', this.#redraw);
    for (const [stream, write] of this.#streams) stream.write = write;
  }

  readonly #redraw = () => {
    this.#hide();
    this.#draw();
  };

  #hide(): void {
    if (this.#isShown) this.#write('\r\u001B[K');
    this.#isShown = false;
  }

  #draw(): void {
    // The beginning of a line that is not complete stays where it is.
    if (this.#text === '' || !this.#isAtLineStart) return;
    // A line as wide as the terminal would wrap on some of them.
    this.#write(this.#style(fitted(this.#text, (this.#screen.columns || 80) - 1)));
    this.#isShown = true;
  }

  #write(text: string): void {
    this.#streams.get(this.#screen)!.call(this.#screen, text);
  }
}

const newLine = 10;

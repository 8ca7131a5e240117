import type { WriteStream } from 'node:tty';

type Write = WriteStream['write'];

interface Looks {
  /** Writes the footer, without a line break at its end. */
  readonly draw: (write: (text: string) => void) => void;
  /** Removes it: the cursor is then at the beginning of its first line. */
  readonly erase: (write: (text: string) => void) => void;
}

const newLine = 10;

/**
 * Keeps something below everything that the process prints to its terminal, such as a prompt: other output, also of other code,
 * appears above it. While the last line of the output is not complete, the footer is not shown.
 */
export class Footer {
  readonly #screen: WriteStream;
  /** The original `write` of each stream that is a terminal. */
  readonly #streams: ReadonlyMap<WriteStream, Write>;
  readonly #looks: Looks;
  #isAtLineStart = true;
  #isShown = false;

  /**
   * @param screen shows the footer
   * @param others streams that may print to the same terminal; those that are no terminals are ignored
   */
  constructor(screen: WriteStream, others: readonly WriteStream[], looks: Looks) {
    const terminals = others.filter(({ isTTY }) => isTTY);
    this.#screen = screen;
    this.#streams = new Map(
      [screen, ...terminals].map((stream) => [stream, Reflect.get(stream, 'write')]),
    );
    this.#looks = looks;
    for (const [stream, write] of this.#streams) {
      stream.write = ((...args: Parameters<Write>) => {
        this.erase();
        const isTaken = write.apply(stream, args);
        const [chunk] = args as unknown as [string | Uint8Array];
        const last = chunk.at(-1);
        if (last !== undefined) this.#isAtLineStart = last === '\n' || last === newLine;
        this.draw();
        return isTaken;
      }) as Write;
    }
  }

  /** Writes to the terminal with its original `write`. */
  readonly write = (text: string): void => {
    this.#streams.get(this.#screen)!.call(this.#screen, text);
  };

  get isShown(): boolean {
    return this.#isShown;
  }

  draw(): void {
    if (!this.#isAtLineStart || this.#isShown) return;
    this.#isShown = true;
    this.#looks.draw(this.write);
  }

  erase(): void {
    if (this.#isShown) this.#looks.erase(this.write);
    this.#isShown = false;
  }

  /** Leaves the footer on the screen, and restores the streams. */
  end(): void {
    for (const [stream, write] of this.#streams) stream.write = write;
  }
}

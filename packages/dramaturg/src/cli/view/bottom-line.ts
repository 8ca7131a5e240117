import type { WriteStream } from 'node:tty';
import { Footer } from './footer.ts';
import { fitted } from './width.ts';

/** Keeps one line of text below everything that the process prints to its terminal. */
export class BottomLine {
  readonly #screen: WriteStream;
  readonly #footer: Footer;
  #text = '';

  /** @param style colours the line */
  constructor(
    screen: WriteStream,
    others: readonly WriteStream[],
    style: (text: string) => string,
  ) {
    this.#screen = screen;
    this.#footer = new Footer(screen, others, {
      // Some terminals would wrap a line of their full width.
      draw: (write) => write(style(fitted(this.#text, (this.#screen.columns || 80) - 1))),
      erase: (write) => write('\r\u001B[K'),
    });
    this.#screen.on('resize', this.#redraw);
  }

  show(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#redraw();
  }

  /** Removes the line and restores the streams. */
  end(): void {
    this.#footer.erase();
    this.#screen.off('resize', this.#redraw);
    this.#footer.end();
  }

  readonly #redraw = () => {
    this.#footer.erase();
    if (this.#text !== '') this.#footer.draw();
  };
}

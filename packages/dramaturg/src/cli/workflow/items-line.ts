import { visible } from '@dramaturg/compiler/text';
import type { Output } from '../output.ts';
import { fitted } from '../view/width.ts';

interface Count {
  entered: number;
  left: number;
}

/** Milliseconds between two updates. */
const intervalMs = 50;

/**
 * One line for the states of all items of a Map: how many items have entered each, and how many have left it. On a terminal it is written anew
 * while the items run; elsewhere it is written once, before the next line.
 */
export class ItemsLine {
  readonly #output: Output;
  readonly #counts = new Map<string, Count>();
  #isChanged = false;
  #shownAt = -Infinity;

  constructor(output: Output) {
    this.#output = output;
  }

  count(state: string, what: keyof Count, margin: string): void {
    const count = this.#counts.get(state) ?? { entered: 0, left: 0 };
    count[what] += 1;
    this.#counts.set(state, count);
    this.#isChanged = true;
    const now = performance.now();
    if (!this.#output.isTerminal || now - this.#shownAt < intervalMs) return;
    this.#shownAt = now;
    this.#show(margin);
  }

  /** Completes the line before another one is written. */
  end(margin: string): void {
    if (!this.#isChanged) return;
    this.#show(margin);
    this.#output.write('\n');
    this.#isChanged = false;
  }

  /** Forgets the items of the Map before. */
  clear(): void {
    this.#counts.clear();
  }

  #show(margin: string): void {
    const parts = [...this.#counts].map(([state, { entered, left }]) =>
      left < entered ? `${visible(state)} ${left} of ${entered}` : `${visible(state)} ${left}`,
    );
    const text = fitted(`items: ${parts.join(' · ')}`, this.#output.width() - margin.length - 3);
    const again = this.#output.isTerminal ? '\r\u001B[K' : '';
    this.#output.write(`${again}${margin}  ${this.#output.paint('dim', text)}`);
  }
}

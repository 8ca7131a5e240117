import type { Trace } from '../trace.ts';

/** The violations that the oracle has found. The first violation ends the run, because later ones may follow from it. */
export class Violations {
  readonly found: string[] = [];
  readonly #trace: Trace;

  constructor(trace: Trace) {
    this.#trace = trace;
  }

  get any(): boolean {
    return this.found.length > 0;
  }

  /** @param rule an invariant of docs/architecture.md, such as `H4`, or a word such as `lost` */
  report(rule: string, sentence: string): void {
    this.found.push(`${rule}: ${sentence}`);
    this.#trace.note('ORACLE', `${rule}: ${sentence}`);
  }
}

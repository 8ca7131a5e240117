import type { Assessment } from './migration.ts';

/** The findings about one snapshot. */
export class Findings {
  readonly #blocks = new Set<string>();
  readonly #notes = new Set<string>();
  readonly #losses = new Set<string>();

  /** A copy, to which other findings can be added. */
  copy(): Findings {
    const copy = new Findings();
    for (const each of this.#blocks) copy.block(each);
    for (const each of this.#notes) copy.note(each);
    for (const each of this.#losses) copy.lose(each);
    return copy;
  }

  block(because: string): void {
    this.#blocks.add(because);
  }

  note(because: string): void {
    this.#notes.add(because);
  }

  lose(what: string): void {
    this.#losses.add(what);
  }

  get assessment(): Assessment {
    if (this.#blocks.size > 0)
      return { verdict: 'blocked', because: [...this.#blocks], losses: [] };
    const isSame = this.#notes.size === 0 && this.#losses.size === 0;
    return {
      verdict: isSame ? 'compatible' : 'migratable',
      because: [...this.#notes],
      losses: [...this.#losses],
    };
  }
}

import { LinearRegex } from './linear-regex.ts';
import type { Watch } from './watch.ts';

/** Units to compile a pattern, and to begin a search. */
const [compileUnits, searchUnits] = [40, 4];
/** Instructions of a pattern times characters that a search reads that cost a unit. */
const stepsPerUnit = 1_024;

/** The engine of patterns for one evaluation: it counts the work of compiling and matching them. */
export function countedRegex(watch: Watch): typeof LinearRegex {
  return class extends LinearRegex {
    constructor(pattern: Pick<RegExp, 'source' | 'ignoreCase' | 'multiline'>) {
      watch.spend(compileUnits + pattern.source.length);
      super(pattern);
      watch.spend(this.size / 8);
    }

    override exec(text: string): (string[] & { index: number }) | null {
      const before = this.reads;
      watch.spend(searchUnits);
      const found = super.exec(text);
      watch.spend(((this.reads - before) * Math.max(this.size, 8)) / stepsPerUnit);
      return found;
    }
  };
}

import { counted } from '@dramaturg/compiler/text';
import { countedUnits, type Exploration } from '../../exploring/explore.ts';
import { mutationScore } from './mutation-score.ts';

/** What the explorations of several definitions have reached together. */
export interface Total {
  readonly definitions: number;
  readonly units: number;
  readonly reached: number;
  readonly tests: number;
  /** Seeded mistakes that make a difference. `found` are those that the tests for coverage find, `added` those of tests that were added. */
  readonly mistakes?: {
    readonly relevant: number;
    readonly found: number;
    readonly added: number;
    readonly missed: number;
    readonly equivalent: number;
    readonly refused: number;
  };
}

export function totalOf(explorations: readonly Exploration[]): Total {
  const sum = (count: (each: Exploration) => number) =>
    explorations.reduce((total, each) => total + count(each), 0);
  const units = sum((each) => countedUnits(each).size);
  const total = {
    definitions: explorations.length,
    units,
    reached: units - sum(({ unreached }) => unreached.filter((unit) => !unit.isUnreachable).length),
    tests: sum(({ tests }) => tests.length),
  };
  const mutants = explorations.flatMap((each) => each.mutants ?? []);
  if (mutants.length === 0) return total;
  const { counts, relevant } = mutationScore(mutants);
  return { ...total, mistakes: { relevant, ...counts } };
}

export function printTotal({ definitions, units, reached, tests, mistakes }: Total): string {
  const lines = [
    `${counted(definitions, 'definition')}: ${reached} of ${units} reached${share(reached, units)}, ${counted(tests, 'test')}.`,
  ];
  if (mistakes) {
    const { relevant, found, added, equivalent, refused } = mistakes;
    lines.push(
      `${counted(relevant, 'mistake')}: ${found} found by tests for coverage${share(found, relevant)}, ${found + added} with tests that were added${share(found + added, relevant)}; ${refused} refused by check, ${equivalent} without a difference in what was tried.`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function share(part: number, whole: number): string {
  return whole === 0 ? '' : ` (${Math.floor((100 * part) / whole)} %)`;
}

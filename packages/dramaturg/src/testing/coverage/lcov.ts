import type { Source } from '@dramaturg/compiler';
import type { CoveredUnit } from './coverage.ts';

/** The coverage of a definition as a record of an lcov file: states are lines, transitions and conditions are branches. */
export function toLcov(file: string, source: Source, units: readonly CoveredUnit[]): string {
  const lineOf = ({ path }: CoveredUnit) => source.locate(path).start.line;
  const lines = new Map<number, number>();
  for (const unit of units) {
    if (unit.kind === 'condition' || unit.kind === 'operand') continue;
    lines.set(lineOf(unit), (lines.get(lineOf(unit)) ?? 0) + unit.hits);
  }
  const branches = units.filter(({ kind }) => kind !== 'state');
  const data = [...lines].toSorted(([a], [b]) => a - b);
  return [
    'TN:',
    `SF:${file}`,
    ...branches.map((unit, index) => `BRDA:${lineOf(unit)},0,${index},${unit.hits}`),
    `BRF:${branches.length}`,
    `BRH:${branches.filter(({ hits }) => hits > 0).length}`,
    ...data.map(([line, hits]) => `DA:${line},${hits}`),
    `LF:${data.length}`,
    `LH:${data.filter(([, hits]) => hits > 0).length}`,
    'end_of_record\n',
  ].join('\n');
}

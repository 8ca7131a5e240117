import type { Json } from '@dramaturg/compiler';
import { compare } from './compare.ts';
import type { Operand, Path, Test } from './path.ts';
import type { PathWork } from './work.ts';

/** Reads a path of a filter. Undefined when the path has no value. */
type ValueAt = (path: Path) => Json | undefined;

/** Instructions of a pattern times characters that it reads that cost as much as a place. */
const stepsPerPlace = 4;

/** Whether an element passes a filter. @throws StatesError States.Runtime when that takes too much work */
export function holds(test: Test, work: PathWork, valueAt: ValueAt): boolean {
  work.compare();
  const valueOf = (operand: Operand) =>
    'path' in operand ? valueAt(operand.path) : operand.literal;
  switch (test.operator) {
    case 'and':
      return test.tests.every((one) => holds(one, work, valueAt));
    case 'or':
      return test.tests.some((one) => holds(one, work, valueAt));
    case 'exists':
      return ((valueAt(test.path) ?? null) !== null) === test.isWanted;
    case '=~': {
      const value = valueOf(test.value);
      if (typeof value === 'object' || value === undefined) return false;
      const { pattern } = test;
      const reads = pattern.reads;
      pattern.lastIndex = 0;
      const isMatch = pattern.exec(String(value)) !== null;
      work.visit(((pattern.reads - reads) * Math.max(pattern.size, 8)) / stepsPerPlace);
      return isMatch;
    }
    default: {
      const [left, right] = [valueOf(test.left), valueOf(test.right)];
      return left !== undefined && right !== undefined && compare(test.operator, left, right, work);
    }
  }
}

import type { Json } from '@dramaturg/compiler';
import { compare } from './compare.ts';
import type { Operand, Path, Test } from './path.ts';
import type { PathWork } from './work.ts';

/** Reads a path of a filter. Undefined when the path has no value. */
type ValueAt = (path: Path, element: Json, data: Json, work: PathWork) => Json | undefined;

/** Instructions of a pattern times characters that it reads that cost as much as a place. */
const stepsPerPlace = 4;

/** Whether an element passes a filter. @throws StatesError States.Runtime when that takes too much work */
export function holds(
  test: Test,
  element: Json,
  data: Json,
  work: PathWork,
  valueAt: ValueAt,
): boolean {
  work.compare();
  const isTrue = (one: Test) => holds(one, element, data, work, valueAt);
  const valueOf = (operand: Operand) =>
    'path' in operand ? valueAt(operand.path, element, data, work) : operand.value;
  switch (test.operator) {
    case 'and':
      return test.tests.every(isTrue);
    case 'or':
      return test.tests.some(isTrue);
    case 'not':
      return !isTrue(test.test);
    case 'exists':
      return valueAt(test.path, element, data, work) !== undefined;
    case 'matches': {
      const text = valueOf(test.text);
      if (typeof text !== 'string') return false;
      const { pattern } = test;
      const reads = pattern.reads;
      pattern.lastIndex = 0;
      const isMatch = pattern.exec(text) !== null;
      work.visit(((pattern.reads - reads) * Math.max(pattern.size, 8)) / stepsPerPlace);
      return isMatch;
    }
    default:
      return compare(test.operator, valueOf(test.left), valueOf(test.right), work);
  }
}

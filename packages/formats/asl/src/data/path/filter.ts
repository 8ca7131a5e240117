import { isRecord, type Json } from '@dramaturg/compiler';
import type { Comparison, Operand, Path, Step, Test } from './path.ts';
import type { PathWork } from './work.ts';

/** Whether an element passes a filter. @throws StatesError States.Runtime when that takes too much work */
export function holds(test: Test, element: Json, data: Json, work: PathWork): boolean {
  work.compare();
  switch (test.operator) {
    case 'and':
      return test.tests.every((one) => holds(one, element, data, work));
    case 'or':
      return test.tests.some((one) => holds(one, element, data, work));
    case 'not':
      return !holds(test.test, element, data, work);
    case 'exists':
      return valueAt(test.path, element, data) !== undefined;
    default:
      return compare(
        test.operator,
        valueOf(test.left, element, data),
        valueOf(test.right, element, data),
        work,
      );
  }
}

function valueOf(operand: Operand, element: Json, data: Json): Json | undefined {
  return 'value' in operand ? operand.value : valueAt(operand.path, element, data);
}

/** A path in a filter has one value at most: a step that may have several finds none. */
function valueAt({ root, steps }: Path, element: Json, data: Json): Json | undefined {
  let value: Json | undefined = root === '@' ? element : data;
  for (const step of steps) {
    value = stepInto(step, value);
    if (value === undefined) return undefined;
  }
  return value;
}

function stepInto(step: Step, value: Json): Json | undefined {
  if (step.kind === 'name') {
    return isRecord(value) && Object.hasOwn(value, step.name) ? value[step.name] : undefined;
  }
  if (step.kind === 'index') return Array.isArray(value) ? value.at(step.index) : undefined;
  if (step.kind === 'function' && (step.name === 'length' || step.name === 'size')) {
    return Array.isArray(value) || typeof value === 'string' ? value.length : undefined;
  }
  return undefined;
}

function compare(
  operator: Comparison,
  left: Json | undefined,
  right: Json | undefined,
  work: PathWork,
): boolean {
  switch (operator) {
    case '==':
      return isEqual(left, right, work);
    case '!=':
      return !isEqual(left, right, work);
    case 'in':
      return Array.isArray(right) && right.some((one) => isEqual(left, one, work));
    case 'nin':
      return Array.isArray(right) && !right.some((one) => isEqual(left, one, work));
    default:
      return isOrdered(operator, left, right, work);
  }
}

/** Objects are equal when their fields have the same order too. */
function isEqual(left: Json | undefined, right: Json | undefined, work: PathWork): boolean {
  work.compare(
    typeof left === 'string' && typeof right === 'string' && left.length === right.length
      ? left.length
      : 0,
  );
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, at) => isEqual(item, right[at], work));
  }
  if (!isRecord(left) || !isRecord(right)) return false;
  const [names, others] = [Object.keys(left), Object.keys(right)];
  work.visit(1 + (names.length + others.length) / 4);
  return (
    names.length === others.length &&
    names.every((name, at) => name === others[at] && isEqual(left[name], right[name], work))
  );
}

function isOrdered(
  operator: '<' | '<=' | '>' | '>=',
  left: Json | undefined,
  right: Json | undefined,
  work: PathWork,
): boolean {
  if (typeof left !== typeof right || (typeof left !== 'number' && typeof left !== 'string')) {
    return false;
  }
  const other = right as typeof left;
  if (typeof left === 'string') work.compare(Math.min(left.length, String(other).length));
  if (operator === '<') return left < other;
  if (operator === '<=') return left <= other;
  return operator === '>' ? left > other : left >= other;
}

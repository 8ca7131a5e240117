import { isRecord, type Json } from '@dramaturg/compiler';
import type { Comparison, Operand, Path, Step, Test } from './path.ts';

/** Whether an element passes a filter. */
export function holds(test: Test, element: Json, data: Json): boolean {
  switch (test.operator) {
    case 'and':
      return test.tests.every((one) => holds(one, element, data));
    case 'or':
      return test.tests.some((one) => holds(one, element, data));
    case 'not':
      return !holds(test.test, element, data);
    case 'exists':
      return valueAt(test.path, element, data) !== undefined;
    default:
      return compare(
        test.operator,
        valueOf(test.left, element, data),
        valueOf(test.right, element, data),
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

function compare(operator: Comparison, left: Json | undefined, right: Json | undefined): boolean {
  switch (operator) {
    case '==':
      return isEqual(left, right);
    case '!=':
      return !isEqual(left, right);
    case 'in':
      return Array.isArray(right) && right.some((one) => isEqual(left, one));
    case 'nin':
      return Array.isArray(right) && !right.some((one) => isEqual(left, one));
    default:
      return isOrdered(operator, left, right);
  }
}

function isEqual(left: Json | undefined, right: Json | undefined): boolean {
  if (typeof left === 'object' && typeof right === 'object' && left !== null && right !== null) {
    return JSON.stringify(left) === JSON.stringify(right);
  }
  return left === right;
}

function isOrdered(
  operator: '<' | '<=' | '>' | '>=',
  left: Json | undefined,
  right: Json | undefined,
): boolean {
  if (typeof left !== typeof right || (typeof left !== 'number' && typeof left !== 'string')) {
    return false;
  }
  const other = right as typeof left;
  if (operator === '<') return left < other;
  if (operator === '<=') return left <= other;
  return operator === '>' ? left > other : left >= other;
}

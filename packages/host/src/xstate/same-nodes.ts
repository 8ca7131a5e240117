import { isRecord } from '@dramaturg/compiler';
import type { ChartNode } from '@dramaturg/compiler/chart';

/** Whether two nodes mean the same, with all nodes in them. Where they are written does not count. */
export function isSameNode(one: ChartNode, other: ChartNode): boolean {
  return canonical(one) === canonical(other);
}

/** Whether two nodes mean the same, apart from the nodes in them and from where they begin. */
export function isSameSelf(one: ChartNode, other: ChartNode): boolean {
  return canonical(ownPart(one)) === canonical(ownPart(other));
}

/** The fields of a node that apply while it is active. */
function ownPart(node: ChartNode): object {
  const { states: _states, initial: _initial, ...own } = node;
  const {
    context: _context,
    output,
    ...rest
  } = own as typeof own & {
    readonly context?: unknown;
    readonly output?: unknown;
  };
  return { ...rest, output };
}

/** Texts of nodes: both charts of a migration are compared for each of many instances. */
const texts = new WeakMap<object, string>();

function canonical(value: object): string {
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value, (key, part: unknown) => {
    if (key === 'origin' || key === 'operands') return undefined;
    if (!isRecord(part)) return part;
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
  texts.set(value, text);
  return text;
}

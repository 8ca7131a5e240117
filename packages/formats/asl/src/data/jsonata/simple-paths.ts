import { isRecord } from '@dramaturg/compiler';
import { definedBy, type Node, nodesOf, parsed, variable } from './references.ts';

/** A path of a variable and names, such as `$states.input.order`. */
export interface SimplePath {
  readonly root: string;
  readonly names: readonly string[];
}

/** The simple paths of an expression, and those that it only tests. */
export interface SimplePaths {
  /** Without those that begin with a variable of the expression itself. */
  readonly read: readonly SimplePath[];
  /** Those whose value may be missing: `$exists($order)`, `$order ? $order.id : 0`. */
  readonly tested: readonly SimplePath[];
}

/** @param source an expression that can be parsed */
export function simplePaths(source: string): SimplePaths {
  const root = parsed(source);
  const nodes = [...nodesOf(root)];
  const own = new Set(nodes.flatMap(definedBy));
  const called = new Set(nodes.flatMap(calleesOf));
  const paths = (among: readonly Node[]) => {
    const inPaths = new Set(among.flatMap(firstStepOf));
    return among
      .filter((node) => !inPaths.has(node) && !called.has(node))
      .map(simplePathOf)
      .filter((path) => path !== undefined)
      .filter((path) => !own.has(path.root));
  };
  const tests = nodes.flatMap(testsOf).flatMap((test) => [...nodesOf(test)]);
  return { read: paths(nodes), tested: paths(tests) };
}

/** The simple path that a node is, or begins with. */
export function simplePathOf(node: unknown): SimplePath | undefined {
  const root = variable(node);
  if (root !== undefined) return root === '' ? undefined : { root, names: [] };
  if (!isRecord(node) || node['type'] !== 'path' || !Array.isArray(node['steps'])) return undefined;
  const [first, ...steps] = node['steps'] as readonly Node[];
  const start = variable(first);
  if (start === undefined || start === '' || !isPlain(first!))
    return start ? { root: start, names: [] } : undefined;
  const names: string[] = [];
  for (const step of steps) {
    if (step['type'] !== 'name') break;
    names.push(String(step['value']));
    if (!isPlain(step)) break;
  }
  return { root: start, names };
}

/** Whether a step has no predicate, grouping or binding. */
function isPlain(step: Node): boolean {
  return !['stages', 'predicate', 'group', 'focus', 'index', 'tuple'].some(
    (field) => field in step,
  );
}

function firstStepOf({ type, steps }: Node): readonly Node[] {
  const first: unknown = type === 'path' && Array.isArray(steps) ? steps[0] : undefined;
  return isRecord(first) ? [first] : [];
}

/** Names of functions, of definitions and of parameters, which are no reads. */
function calleesOf({ type, procedure, rhs, lhs, arguments: parameters }: Node): readonly unknown[] {
  if (type === 'function' || type === 'partial') return [procedure];
  if (type === 'apply') return [rhs];
  if (type === 'bind') return [lhs];
  return type === 'lambda' && Array.isArray(parameters) ? parameters : [];
}

const testFunctions: ReadonlySet<unknown> = new Set(['exists', 'boolean', 'not', 'count', 'type']);

/** The parts of a node that are asked whether they are there. */
function testsOf({
  type,
  value,
  procedure,
  arguments: given,
  condition,
  lhs,
  rhs,
}: Node): readonly unknown[] {
  if (type === 'function' && testFunctions.has(variable(procedure))) return given as unknown[];
  if (type === 'condition') return [condition];
  return type === 'binary' && (value === 'and' || value === 'or') ? [lhs, rhs] : [];
}

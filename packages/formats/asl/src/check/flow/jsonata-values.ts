import { isRecord, type Json, type Path } from '@dramaturg/compiler';
import { expressionFault, sourceOf } from '../../data/jsonata/expression.ts';
import {
  definedBy,
  jsonataFunctions,
  type Node,
  nodesOf,
  parsed,
  variable,
} from '../../data/jsonata/references.ts';
import { isExpression } from '../../definition/field.ts';
import { partValues } from './template-values.ts';
import { followVariable } from './follow-path.ts';
import { conditional, type MissingValue, type Sight } from './sight.ts';
import {
  deepest,
  elementsIn,
  fieldIn,
  isUnfilled,
  type Source,
  type ValueSet,
} from './value-set.ts';

/** A path of a variable and names, such as `$states.input.order`. */
interface SimplePath {
  readonly root: string;
  readonly names: readonly string[];
}

/** The simple paths of an expression, and those that it only tests. */
interface SimplePaths {
  /** Without paths that begin with a variable of the expression. */
  readonly read: readonly SimplePath[];
  /** Paths that may lead to nothing: `$exists($order)`, `$order ? $order.id : 0`. */
  readonly tested: readonly SimplePath[];
}

/** @param source an expression that can be parsed */
function simplePaths(source: string): SimplePaths {
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

/** Names of functions, definitions and parameters, which are not reads. */
function calleesOf({ type, procedure, rhs, lhs, arguments: parameters }: Node): readonly unknown[] {
  if (type === 'function' || type === 'partial') return [procedure];
  if (type === 'apply') return [rhs];
  if (type === 'bind') return [lhs];
  return type === 'lambda' && Array.isArray(parameters) ? parameters : [];
}

const testFunctions: ReadonlySet<unknown> = new Set(['exists', 'boolean', 'not', 'count', 'type']);

/** The parts of a node that are tested for presence. */
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

/** The fields of `$states` besides the input and the context. */
export interface MoreStates {
  readonly result?: ValueSet;
  readonly errorOutput?: ValueSet;
}

/** The values of a field of a JSONata state. Amazon #jsonata-strings */
export function jsonataValues(
  template: Json,
  sight: Sight,
  source: Source,
  more: MoreStates = {},
): ValueSet {
  const scope = { sight, more };
  return partValues(template, source.at, {
    sources: [source],
    computed: (part, at) => (isExpression(part) ? expressionValues(part, scope, at) : undefined),
    nameOf: (key) => key,
  });
}

interface Scope {
  readonly sight: Sight;
  readonly more: MoreStates;
}

const plainPath = /^\$([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)*)$/;
const anyPath = /\$([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)*)(?!\w|\s*\()/g;

/** The values of an expression, known only for a simple path. Other expressions are searched for paths to nothing. */
function expressionValues(expression: string, scope: Scope, at: Path): ValueSet {
  const source = sourceOf(expression);
  if (isUnfilled(source)) return 'any';
  const plain = plainPath.exec(source);
  if (plain) {
    const followed = followSimple(pathIn(plain), scope);
    if ('values' in followed) return followed.values;
    if (!functions.has(plain[1]!)) scope.sight.report(followed.missing, at);
    return 'any';
  }
  const { report } = conditional(scope.sight);
  for (const missing of missingIn(source, scope)) report(missing, at);
  return 'any';
}

const functions: ReadonlySet<string> = new Set(jsonataFunctions);

function pathIn([, root, rest = '']: RegExpExecArray | RegExpMatchArray): SimplePath {
  return { root: root!, names: rest.split('.').slice(1) };
}

/** The library takes milliseconds to parse an expression, so only suspicious ones are parsed. */
function* missingIn(source: string, scope: Scope): Generator<MissingValue> {
  const isMissing = (path: SimplePath) =>
    !functions.has(path.root) && 'missing' in followSimple(path, scope);
  const isSuspicious =
    source.includes('`') || [...source.matchAll(anyPath)].some((found) => isMissing(pathIn(found)));
  if (!isSuspicious || expressionFault(`{%${source}%}`) !== undefined) return;
  const { read, tested } = simplePaths(source);
  for (const path of read) {
    if (!isMissing(path) || tested.some((test) => isPrefix(test, path))) continue;
    const followed = followSimple(path, scope);
    if ('missing' in followed) yield followed.missing;
  }
}

function isPrefix(one: SimplePath, other: SimplePath): boolean {
  return one.root === other.root && one.names.every((name, index) => name === other.names[index]);
}

type Followed = { readonly values: ValueSet } | { readonly missing: MissingValue };

/** The values of a path. Names are looked up in each element of a list. */
export function followSimple({ root, names }: SimplePath, { sight, more }: Scope): Followed {
  const text = ['$' + root, ...names].join('.');
  if (root !== 'states') {
    const start = followVariable(root, sight);
    if ('missing' in start) return { missing: { ...start.missing, text } };
    return followNames(start.values, names, { text, root: 'data', found: `$${root}` });
  }
  const [field, ...rest] = names;
  const start = {
    input: sight.input,
    context: sight.context,
    ...more,
  }[field ?? ''];
  if (start === undefined) return { values: 'any' };
  const kind = field === 'context' ? 'context' : 'data';
  return followNames(start, rest, { text, root: kind, found: `$states.${field}` });
}

function followNames(
  start: ValueSet,
  names: readonly string[],
  { found, ...path }: Pick<MissingValue, 'text' | 'root' | 'found'>,
): Followed {
  let values = start;
  for (const [index, name] of names.entries()) {
    const next = namedIn(values, name, 0);
    if (next === undefined) {
      const reached = [found, ...names.slice(0, index)].join('.');
      return { missing: { ...path, found: reached, step: `.${name}`, values } };
    }
    values = next;
  }
  return { values };
}

/** Like the library, looks into lists, and gives a list or a single value. */
function namedIn(values: ValueSet, name: string, depth: number): ValueSet | undefined {
  if (values === 'any' || depth > deepest) return 'any';
  const elements = elementsIn(values);
  const inElements = elements === undefined ? undefined : namedIn(elements, name, depth + 1);
  return inElements === undefined ? fieldIn(values, name) : 'any';
}

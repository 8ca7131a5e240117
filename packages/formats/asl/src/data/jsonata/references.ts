import { engines } from '#engines';
import { isRecord } from '@dramaturg/compiler';

/** The functions of JSONata 2.0 and those that AWS adds. Spec: AWS "Transforming data with JSONata", functions */
export const jsonataFunctions: readonly string[] = `
  abs append assert average base64decode base64encode boolean ceil clone contains count decodeUrl decodeUrlComponent
  distinct each encodeUrl encodeUrlComponent error exists filter floor formatBase formatInteger formatNumber fromMillis hash
  join keys length lookup lowercase map match max merge millis min not now number pad parse parseInteger partition power
  random range reduce replace reverse round shuffle sift single sort split spread sqrt string substring substringAfter
  substringBefore sum toMillis trim type uppercase uuid zip
`
  .trim()
  .split(/\s+/);

/** The functions that an expression calls and does not define itself. @param source an expression that can be parsed */
export function calledFunctions(source: string): readonly string[] {
  const nodes = [...nodesOf(parsed(source))];
  const defined = new Set(nodes.flatMap(definedBy));
  const called = new Set(nodes.map(calledBy).filter((name) => name !== undefined));
  return [...called].filter((name) => !defined.has(name));
}

/** The fields of `$states` that an expression reads: `input`, `result`. @param source an expression that can be parsed */
export function statesFields(source: string): ReadonlySet<string> {
  const fields = new Set<string>();
  for (const { type, steps } of nodesOf(parsed(source))) {
    const [first, second] = type === 'path' && Array.isArray(steps) ? (steps as unknown[]) : [];
    if (variable(first) !== 'states' || !isRecord(second)) continue;
    if (second['type'] === 'name') fields.add(String(second['value']));
  }
  return fields;
}

/**
 * The names that an expression reads from its context: `$` and the first names of paths outside of other paths, and `$$`.
 * AWS evaluates expressions without a context. @param source an expression that can be parsed
 */
export function contextNames(source: string): ReadonlySet<string> {
  const root = parsed(source);
  const names = new Set(namesIn(root));
  if ([...nodesOf(root)].some((node) => variable(node) === '$')) names.add('$$');
  return names;
}

/** Parts of a node that are evaluated for each value of the node. */
const innerParts: ReadonlySet<string> = new Set(['predicate', 'stages', 'group']);

function* namesIn(node: unknown): Generator<string> {
  if (Array.isArray(node)) for (const one of node as unknown[]) yield* namesIn(one);
  if (!isRecord(node) || node['type'] === 'transform') return;
  if (variable(node) === '') yield '$';
  const [first] = node['type'] === 'path' && Array.isArray(node['steps']) ? node['steps'] : [];
  if (isRecord(first)) {
    if (first['type'] === 'name') yield String(first['value']);
    else yield* namesIn(first);
    return;
  }
  for (const [part, value] of Object.entries(node)) {
    if (!innerParts.has(part)) yield* namesIn(value);
  }
}

export type Node = Readonly<Record<string, unknown>>;

/** The syntax tree of an expression that can be parsed. */
export function parsed(source: string): unknown {
  return engines().jsonata(source).ast();
}

/** A node and all below it. */
export function* nodesOf(root: unknown): Generator<Node> {
  const open: unknown[] = [root];
  for (const node of open) {
    if (Array.isArray(node)) open.push(...(node as unknown[]));
    if (!isRecord(node)) continue;
    yield node;
    open.push(...Object.values(node));
  }
}

function calledBy({ type, procedure, rhs }: Node): string | undefined {
  if (type === 'function' || type === 'partial') return variable(procedure);
  return type === 'apply' ? variable(rhs) : undefined;
}

/** The names of variables that a node defines. */
export function definedBy({
  type,
  lhs,
  arguments: parameters,
  focus,
  index,
}: Node): readonly string[] {
  const nodes = [
    ...(type === 'bind' ? [lhs] : []),
    ...(type === 'lambda' && Array.isArray(parameters) ? (parameters as unknown[]) : []),
  ];
  return [...nodes.map(variable), focus, index].filter((name) => typeof name === 'string');
}

/** The name of a variable that a node reads. */
export function variable(node: unknown): string | undefined {
  return isRecord(node) && node['type'] === 'variable' && typeof node['value'] === 'string'
    ? node['value']
    : undefined;
}

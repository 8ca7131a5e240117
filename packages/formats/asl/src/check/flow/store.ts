import { parsePath } from '../../data/path/parse.ts';
import { isFault, type Step } from '../../data/path/path.ts';
import type { State } from '../../definition/index.ts';
import { type Source, sourceAt } from './source.ts';
import { fieldIn, isUnfilled, objectOf, union, type ValueSet, withField } from './value-set.ts';

/** The data once a result is stored where `ResultPath` says. Missing objects are created. Amazon #ref-paths */
export function store(
  path: string | null | undefined,
  input: ValueSet,
  result: ValueSet,
  sources: readonly Source[],
): ValueSet {
  if (path === null) return input;
  if (path === undefined || path === '$') return result;
  const parsed = parsePath(path);
  if (isUnfilled(path) || isFault(parsed) || parsed.root !== '$') return 'any';
  return storeAt(input, parsed.steps, result, sources) ?? 'any';
}

/** The data once the reasoning of an agent is stored in it, if it gives any. What is not an object becomes `result` of one. */
export function storeReasoning(state: State, data: ValueSet): ValueSet {
  const path = state.Type === 'Task' ? state.Reasoning?.store : undefined;
  if (path === undefined) return data;
  const sources = [sourceAt(state, 'Reasoning')];
  const isObject = data !== 'any' && !data.scalar && !data.list;
  const into = isObject ? data : union(data, objectOf(new Map([['result', data]]), sources))!;
  return union(data, store(path, into, 'any', sources))!;
}

/** Undefined when that is unknown. */
function storeAt(
  into: ValueSet | undefined,
  [step, ...rest]: readonly Step[],
  result: ValueSet,
  sources: readonly Source[],
): ValueSet | undefined {
  if (!step) return result;
  if (step.kind !== 'name') return undefined;
  const before = into === undefined ? undefined : fieldIn(into, step.name);
  const inner = storeAt(before, rest, result, sources);
  return inner && withField(into, step.name, inner, sources);
}

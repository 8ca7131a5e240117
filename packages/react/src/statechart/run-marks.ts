import type { Chart } from '@dramaturg/compiler';
import type { ChartNode, DrawnNode, Drawing } from '@dramaturg/compiler/chart';
import { type CountedUnit, coverageOf, type Light, lookOf, type Marks } from '@dramaturg/drawing';
import type { StateValue } from 'xstate';
import type { StateProgress } from '../conversation/running-machines.ts';
import { lightsFor } from './lit.ts';

/** The marks of a run. Coverage is marked only where it is known. */
export type RunMarks = Required<Omit<Marks, 'coverage'>> & Pick<Marks, 'coverage'>;

/** The facts about a run that are marked in a chart. */
export interface RunFacts {
  /** The `value` of each machine's snapshot. */
  readonly values: readonly StateValue[];
  /** The names of the states that were entered, in order, as in the events `state.entered`. */
  readonly visited?: readonly string[] | undefined;
  /** Whether the current states have failed; after the end, the last entered state. Not together with `failedIn`. */
  readonly isFailed?: boolean | undefined;
  /** The name of the state in which the run has failed, as in the event `state.failed`. */
  readonly failedIn?: string | undefined;
  /** The progress of states with items. */
  readonly progress?: readonly StateProgress[] | undefined;
  /** The units that tests have reached. */
  readonly coverage?: readonly CountedUnit[] | undefined;
}

/** Marks current, visited and failed states, taken arrows, done tasks and the next possible states. */
export function marksOf(
  chart: Chart,
  drawing: Drawing,
  { values, visited = [], isFailed = false, failedIn, progress = [], coverage }: RunFacts,
): RunMarks {
  const { nodes, edges } = drawing;
  const active = lightsFor(chart, drawing, values);
  const lights = new Map<string, Light>();
  const entered = new Set(visited);
  for (const node of nodes) if (isNamed(node, entered)) lights.set(node.id, 'visited');
  if (values.length > 0)
    for (const id of doneTasks(chart, drawing, values, active)) lights.set(id, 'done');
  for (const { source, target, sources = [source] } of edges)
    if (sources.some((id) => active.has(id)) && !lights.has(target)) lights.set(target, 'next');
  for (const [id, light] of active) {
    if (light === 'current' && lights.get(id) === 'done') continue;
    const hasFailed = light === 'current' && isFailed && failedIn === undefined;
    lights.set(id, hasFailed ? 'failed' : light);
  }
  const blamed = failedIn ?? (isFailed ? visited.at(-1) : undefined);
  const last = nodes.findLast((node) => blamed !== undefined && isNamed(node, new Set([blamed])));
  if (last && ![...lights.values()].includes('failed')) lights.set(last.id, 'failed');
  const current = nodes.flatMap(({ id, name }) => (active.has(id) ? name : []));
  return {
    lights,
    taken: takenArrows(drawing, [...visited, ...current]),
    progress: progressOf(nodes, progress),
    ...(coverage ? { coverage: coverageOf(drawing, coverage) } : {}),
  };
}

/**
 * The arrows to entered states. They come from the state before, from a state around it, or, because branches run in parallel,
 * from the last entered state in the same parent.
 */
function takenArrows({ nodes, edges }: Drawing, entered: readonly string[]): ReadonlySet<string> {
  const parents = new Map(nodes.map(({ id, parent }) => [id, parent]));
  const around = (id: string | undefined): string[] =>
    id === undefined ? [] : [id, ...around(parents.get(id))];
  const arrows = new Map(
    [...new Set(entered)].map((name) => {
      const ids = nodes.flatMap((node) => (isNamed(node, new Set([name])) ? node.id : []));
      return [name, { ids, to: edges.filter(({ target }) => ids.includes(target)) }] as const;
    }),
  );
  const taken = new Set<string>();
  /** The last entered state, by its parent. */
  const lastBeside = new Map<string | undefined, string>();
  let before: readonly string[] = [];
  for (const name of entered) {
    const { ids, to } = arrows.get(name)!;
    for (const { id, source, target, sources = [source] } of to)
      if (
        sources.some(
          (each) => before.includes(each) || lastBeside.get(parents.get(target)) === each,
        )
      )
        taken.add(id);
    for (const id of ids) lastBeside.set(parents.get(id), id);
    before = ids.flatMap(around);
  }
  return taken;
}

/** The texts of states with items, such as `12/20`. */
function progressOf(
  nodes: readonly DrawnNode[],
  known: readonly StateProgress[],
): ReadonlyMap<string, string> {
  const texts = known.flatMap(({ state, ended, total }) => {
    const found =
      typeof state === 'string'
        ? nodes.find((node) => isNamed(node, new Set([state])))
        : nodes.findLast(({ path }) => path.length > 0 && startsWith(state, path));
    return found ? [[found.id, `${ended}/${total}`] as const] : [];
  });
  return new Map(texts);
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((key, index) => path[index] === key);
}

function isNamed(node: DrawnNode, names: ReadonlySet<string>): boolean {
  return node.path.length > 0 && namesOf(node).some((name) => names.has(name));
}

/** The names of a state in events: its title, or the author's id, which is its key. */
function namesOf({ name, path }: DrawnNode): readonly string[] {
  const key = path.at(-1) ?? '';
  return [name, key.replace(/%[0-9A-F]{2}/g, (code) => decodeURIComponent(code))];
}

/** The done tasks: those before the current one of a sequence, and regions in a state without exits, such as `completed`. */
function doneTasks(
  chart: Chart,
  { nodes }: Drawing,
  values: readonly StateValue[],
  active: ReadonlyMap<string, unknown>,
): readonly string[] {
  return nodes.flatMap((parent) => {
    if (!active.has(parent.id)) return [];
    const children = nodes.filter((node) => node.parent === parent.id);
    if (parent.kind === 'parallel')
      return children.filter((child) => hasEnded(chart, child, values)).map(({ id }) => id);
    if (!lookOf(parent).isOrdered) return [];
    const at = children.findIndex(({ id }) => active.has(id));
    return children.slice(0, at === -1 ? children.length : at).map(({ id }) => id);
  });
}

/** Whether the current state inside a task has no exits. */
function hasEnded(chart: Chart, { path }: DrawnNode, values: readonly StateValue[]): boolean {
  return values.some((value) => {
    let at: StateValue | undefined = value;
    let node: ChartNode | undefined = chart;
    for (const key of path) {
      at = typeof at === 'object' ? own(at, key) : undefined;
      node = own(node?.states ?? {}, key);
    }
    if (typeof at !== 'string') return false;
    const inner = own(node?.states ?? {}, at);
    if (!inner || inner.states || inner.invoke) return false;
    const ways = [...(inner.always ?? []), ...Object.values(inner.on ?? {}).flat()];
    return ways.every(({ target }) => target === undefined);
  });
}

function own<Value>(of: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(of, key) ? of[key] : undefined;
}

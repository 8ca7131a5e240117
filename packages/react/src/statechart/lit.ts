import type { Chart } from '@dramaturg/compiler';
import type { ChartNode, Drawing } from '@dramaturg/compiler/chart';
import type { StateValue } from 'xstate';

/**
 * Computes which states of a drawing the actor is in: `current` are the innermost ones, `around` those that contain them.
 *
 * @param chart the drawn chart
 * @param values the `value` of each machine's snapshot; for a chart that a node runs for items, nested in that node
 */
export function lightsFor(
  chart: Chart,
  { nodes }: Drawing,
  values: readonly StateValue[],
): ReadonlyMap<string, 'current' | 'around'> {
  const active = new Set<string>();
  for (const value of values) collect(value, '', active);
  const drawn = new Set(nodes.map(({ path }) => keyOf(path)));
  const isActive = (path: readonly string[]) => path.length > 0 && active.has(keyOf(path));
  const lit = nodes.filter(({ path, kind }) => {
    const end = kind === 'final' ? endAfter(chart, path) : undefined;
    return isActive(path) || (end !== undefined && isActive([end]) && !drawn.has(keyOf([end])));
  });
  const around = new Set<string | undefined>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const { parent } of lit)
    for (let at = parent; at !== undefined; at = byId.get(at)?.parent) around.add(at);
  return new Map(lit.map(({ id }) => [id, around.has(id) ? 'around' : 'current']));
}

/**
 * The final root state that a machine reaches when an inner final state completes its parent. A snapshot contains only
 * the inner one.
 */
function endAfter({ states }: Chart, path: readonly string[]): string | undefined {
  const around: (ChartNode | undefined)[] = [];
  let inside = states;
  for (const key of path.slice(0, -1)) {
    around.push(own(inside, key));
    inside = around.at(-1)?.states;
  }
  // A parent ends with its final state; a parallel one, with all its regions.
  if (!around.slice(0, -1).every((node) => node?.type === 'parallel')) return undefined;
  const targets = around[0]?.onDone?.flatMap(({ target = [] }) => target) ?? [];
  return targets.find((target) => own(states, target)?.type === 'final');
}

function own(states: ChartNode['states'] = {}, key: string): ChartNode | undefined {
  return Object.hasOwn(states, key) ? states[key] : undefined;
}

/** In an error snapshot the value can be undefined, contrary to its type. */
function collect(value: StateValue | undefined, at: string, active: Set<string>): void {
  if (value === undefined) return;
  if (typeof value === 'string') {
    active.add(at + JSON.stringify(value));
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    const path = at + JSON.stringify(key);
    active.add(path);
    collect(inner, path, active);
  }
}

function keyOf(path: readonly string[]): string {
  return path.map((key) => JSON.stringify(key)).join('');
}

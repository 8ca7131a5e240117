import type { Chart, ChartNode, Drawing } from '@dramaturg/compiler';
import type { StateValue } from 'xstate';

/** How a state stands to where a machine is: in it, in a state inside of it, or elsewhere. */
export type Light = 'current' | 'around' | 'off';

/**
 * Which states of a drawing are lit.
 *
 * @param chart what is drawn
 * @param values where machines are, as the `value` of their snapshots says; of a chart that a node runs for items,
 *   nested in the place of that node
 */
export function lightsFor(
  chart: Chart,
  { nodes }: Drawing,
  values: readonly StateValue[],
): ReadonlyMap<string, Light> {
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
 * The final state of the root to which a machine goes once a final state further inside has made the state around it done:
 * where both are over, a snapshot says only the former.
 */
function endAfter({ states }: Chart, path: readonly string[]): string | undefined {
  const around: (ChartNode | undefined)[] = [];
  let inside = states;
  for (const key of path.slice(0, -1)) {
    around.push(own(inside, key));
    inside = around.at(-1)?.states;
  }
  // What is around is done with the final state, or with this and all other regions.
  if (!around.slice(0, -1).every((node) => node?.type === 'parallel')) return undefined;
  const targets = around[0]?.onDone?.flatMap(({ target = [] }) => target) ?? [];
  return targets.find((target) => own(states, target)?.type === 'final');
}

function own(states: ChartNode['states'] = {}, key: string): ChartNode | undefined {
  return Object.hasOwn(states, key) ? states[key] : undefined;
}

/** The machine of a snapshot that is an error may be nowhere: its value is undefined, whatever its type says. */
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

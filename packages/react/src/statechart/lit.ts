import type { DrawnNode } from '@dramaturg/compiler';
import type { StateValue } from 'xstate';

/** How a state stands to where a machine is: in it, in a state inside of it, or elsewhere. */
export type Light = 'current' | 'around' | 'off';

/**
 * Which states are lit.
 *
 * @param values where machines are, as the `value` of their snapshots says; of a chart that a node runs for items,
 *   nested in the place of that node
 */
export function lightsFor(
  nodes: readonly DrawnNode[],
  values: readonly StateValue[],
): ReadonlyMap<string, Light> {
  const active = new Set<string>();
  for (const value of values) collect(value, '', active);
  const lit = nodes.filter(({ path }) => path.length > 0 && active.has(keyOf(path)));
  const around = new Set<string | undefined>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const { parent } of lit)
    for (let at = parent; at !== undefined; at = byId.get(at)?.parent) around.add(at);
  return new Map(lit.map(({ id }) => [id, around.has(id) ? 'around' : 'current']));
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

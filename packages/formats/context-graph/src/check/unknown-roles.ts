import type { Graph } from '../definition.ts';
import { statesByName } from '../state-graph.ts';
import type { UnknownName } from './rule.ts';
import { roles } from './wrong-roles.ts';

/** Names in roles that no state has. The shape check reports missing names. */
export function unknownRoles(graph: Graph): UnknownName[] {
  const byName = statesByName(graph);
  const known = [...byName.keys()];
  return roles.flatMap(({ role, unknown }) => {
    const name = graph[role];
    if (name === '' || byName.has(name)) return [];
    return [{ name, problem: unknown(name, known), path: [role] }];
  });
}

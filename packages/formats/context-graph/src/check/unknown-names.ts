import { otherTargets } from '@dramaturg/conversation';
import { nearestName } from '@dramaturg/compiler/text';
import { type Graph, targetsOf } from '../definition.ts';
import { unknownJumpback, unknownTarget } from '../diagnostics/targets.ts';
import { statesByName } from '../state-graph.ts';
import type { GraphRule, UnknownName } from './rule.ts';
import { roles } from './wrong-roles.ts';

/** Reports names that no state of this graph has. A name in several places is reported once. */
export const unknownNames: GraphRule = ({ definition, report }) => {
  const known = [...statesByName(definition).keys()];
  if (known.length === 0) return; // A graph without states is reported as such.
  const byName = new Map<string, UnknownName[]>();
  for (const unknown of [...unknownRoles(definition), ...unknownTargets(definition, known)]) {
    const { name } = unknown;
    if (definition.otherNames.includes(name)) continue;
    // The name may belong to a state whose own name is unreadable, which is reported already.
    if (definition.hasNameless && nearestName(name, known) === undefined) continue;
    byName.set(name, [...(byName.get(name) ?? []), unknown]);
  }
  for (const [name, [first, ...others]] of byName) {
    if (!first) continue;
    const about = [first, ...others].map(({ path }) => path);
    const related = others
      .slice(0, mostPlaces)
      .map(({ path }) => ({ path, message: `"${name}" is also named here.` }));
    report(first.problem, first.path, { about, related });
  }
};

/** The most additional places of one name in a finding. */
const mostPlaces = 5;

function unknownTargets({ states }: Graph, known: readonly string[]): UnknownName[] {
  const names = new Set(known);
  const unknown: UnknownName[] = [];
  for (const state of states) {
    for (const target of targetsOf(state)) {
      if (target.kind === 'malformed') continue;
      const { at } = target;
      if (target.kind === 'call' && !names.has(target.jumpback)) {
        const { jumpback: name } = target;
        unknown.push({ name, problem: unknownJumpback(name, known), path: [...at, 1] });
      } else if (target.kind === 'state' && !names.has(target.state)) {
        unknown.push({
          name: target.state,
          problem: unknownTarget(target.state, [...known, ...Object.keys(otherTargets)]),
          path: at,
        });
      }
    }
  }
  return unknown;
}

/** Names in roles that no state has. The shape check reports missing names. */
function unknownRoles(graph: Graph): UnknownName[] {
  const byName = statesByName(graph);
  const known = [...byName.keys()];
  return roles.flatMap(({ role, unknown }) => {
    const name = graph[role];
    if (name === '' || byName.has(name)) return [];
    return [{ name, problem: unknown(name, known), path: [role] }];
  });
}

import { nearestName } from '@dramaturg/compiler/text';
import type { DocumentLocation } from '../definition.ts';
import { unknownState } from '../diagnostics/states.ts';
import type { LifecycleRule } from './rule.ts';

/** Reports names of states that do not exist. */
export const unknownStates: LifecycleRule = ({ definition, report }) => {
  const known = definition.states.map(({ name }) => name);
  const names = new Set(known);
  const check = (name: string, { path, at }: DocumentLocation) => {
    if (names.has(name)) return;
    // The name may belong to a state whose own name is unreadable, which is reported already.
    if (definition.hasNameless && nearestName(name, known) === undefined) return;
    report(unknownState(name, known), path, { ...(at ? { at } : {}), topic: name });
  };
  if (known.length === 0) return; // A lifecycle without states is reported as such.
  const { initial, initialAt, terminal } = definition;
  if (initial !== undefined) check(initial, { path: initialAt });
  for (const { name, at } of terminal) check(name, at);
  // Rows share objects: rows for several events share `to`, and rows of one state of a map share `from`.
  const seen = new Set<unknown>();
  for (const { from, to } of definition.rows) {
    if (from.kind === 'states' && !seen.has(from))
      for (const { name, at } of from.states) check(name, at);
    if (to?.kind === 'state' && !seen.has(to)) check(to.name, { path: to.at });
    seen.add(from).add(to);
  }
};

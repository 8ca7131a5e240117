import { reachableFrom } from '@dramaturg/compiler/chart';
import type { Lifecycle } from '../definition.ts';
import { noTerminalState, noWayToAnEnd } from '../diagnostics/states.ts';
import { stateKinds } from '../wiring.ts';
import type { LifecycleRule } from './rule.ts';

/** Reports states from which no terminal state can be reached, and lifecycles without one. Spec: docs/formats/lifecycle.md#states */
export const statesWithoutEnd: LifecycleRule = ({ definition, report }) => {
  const { states, statesAt } = definition;
  const ends = states.filter(({ kind }) => kind === 'terminal').map(({ name }) => name);
  if (states.length === 0) return;
  if (ends.length === 0)
    return report(noTerminalState(), statesAt, { at: 'key', follows: stateKinds });
  const canEnd = reachableFrom(ends, sourcesOf(definition));
  if (canEnd.has(anywhere)) return;
  const endless = states.filter(({ name }) => !canEnd.has(name));
  const [first, ...others] = endless;
  // When no row leads to an end, the rules for charts report it.
  if (!first || endless.length === states.length - ends.length) return;
  report(noWayToAnEnd(endless.map(({ name }) => name)), first.at, {
    at: 'key',
    follows: definition.wiring,
    related: others.map(({ name, at }) => ({ path: at, message: `Nor from "${name}".` })),
  });
};

/** Represents all states that are not terminal. No state has this name. */
const anywhere = '*';

function sourcesOf({ states, rows }: Lifecycle): (name: string) => Iterable<string> {
  const ends = states.flatMap(({ name, kind }) => (kind === 'terminal' ? [name] : []));
  const live = states.flatMap(({ name, kind, returns }) =>
    kind === 'terminal' || returns ? [] : [name],
  );
  const known = new Set(states.map(({ name }) => name));
  const sources = new Map<string, Set<string>>();
  const add = (from: string, to: string) => {
    const list = sources.get(to);
    if (list) list.add(from);
    else sources.set(to, new Set([from]));
  };
  const returning = new Set<string>();
  for (const { from, to } of rows) {
    if (from.kind === 'nothing' || !to) continue;
    const starts = from.kind === 'any' ? [anywhere] : from.states.map(({ name }) => name);
    if (to.kind === 'previous') for (const start of starts) returning.add(start);
    // A row to an unknown state may have been meant to lead to the end.
    else for (const start of starts) add(start, known.has(to.name) ? to.name : ends[0]!);
  }
  // A return from a pause can lead to any state that is not terminal.
  for (const start of returning) for (const state of live) add(start, state);
  return (name) => sources.get(name) ?? [];
}

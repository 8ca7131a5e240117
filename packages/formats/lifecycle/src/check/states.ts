import { type Path, reachableFrom } from '@dramaturg/compiler';
import type { Lifecycle, Place } from '../definition.ts';
import {
  badInitialState,
  badStateName,
  duplicateState,
  missingCommand,
  noInitialState,
  noStates,
  noTerminalState,
  noWayToAnEnd,
  unknownState,
} from '../diagnostics/states.ts';
import { longestState } from '../limits.ts';
import { Table } from '../table.ts';
import type { LifecycleRule } from './rule.ts';

/** What was found while bringing the definition into one spelling, and what was assumed to complete it. */
export const spelling: LifecycleRule = ({ definition, report }) => {
  for (const { problem, path, at } of definition.findings)
    report(problem, path, at ? { at } : undefined);
};

/** There are states, and their names are unique and no words of the table. */
export const stateNames: LifecycleRule = ({ definition, report }) => {
  const { states, statesAt } = definition;
  if (states.length === 0) report(noStates(), statesAt);
  const first = new Map<string, Path>();
  for (const { name, at } of states) {
    const isWord = name === '*' || name === '$previous';
    if (name.trim() === '' || name.length > longestState || isWord)
      report(badStateName(name), at, { at: 'key' });
    const earlier = first.get(name);
    if (earlier)
      report(duplicateState(name), at, {
        related: [{ path: earlier, message: 'First declared here.' }],
      });
    first.set(name, earlier ?? at);
  }
};

/** Whatever names a state names one that there is. */
export const statesExist: LifecycleRule = ({ definition, report }) => {
  const known = definition.states.map(({ name }) => name);
  const names = new Set(known);
  const check = (name: string, { path, at }: Place) => {
    if (!names.has(name)) report(unknownState(name, known), path, at ? { at } : undefined);
  };
  const { initial, initialAt, terminal } = definition;
  if (initial !== undefined) check(initial, { path: initialAt });
  for (const { name, at } of terminal) check(name, at);
  for (const [index, { from, to }] of definition.rows.entries()) {
    // Rows for several events share what they name.
    if (definition.rows[index - 1]?.from === from) continue;
    if (from.kind === 'states') for (const { name, at } of from.states) check(name, at);
    if (to?.kind === 'state') check(to.name, { path: to.at });
  }
};

/** An instance begins in a state in which something can happen. */
export const initialState: LifecycleRule = ({ definition, report }) => {
  const { initial, initialAt, states, statesAt } = definition;
  if (initial === undefined) {
    if (states.length > 0) report(noInitialState(), statesAt, { at: 'key' });
    return;
  }
  const state = states.find(({ name }) => name === initial);
  if (state?.kind === 'terminal') report(badInitialState(initial, 'terminal'), initialAt);
  else if (state?.returns) report(badInitialState(initial, 'returning'), initialAt);
};

/** Every state leads to a terminal one in the end. Spec: docs/formats/lifecycle.md#states */
export const waysToAnEnd: LifecycleRule = ({ definition, report }) => {
  const { states, statesAt } = definition;
  const ends = states.filter(({ kind }) => kind === 'terminal').map(({ name }) => name);
  if (states.length === 0) return;
  if (ends.length === 0) return report(noTerminalState(), statesAt, { at: 'key' });
  const canEnd = reachableFrom(ends, sourcesOf(definition));
  if (canEnd.has(anywhere)) return;
  for (const { name, at } of states)
    if (!canEnd.has(name)) report(noWayToAnEnd(name), at, { at: 'key' });
};

/** Stands for all states that are not terminal. No state has this name. */
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
    // What leads to a state that does not exist may well be meant to be the way.
    else for (const start of starts) add(start, known.has(to.name) ? to.name : ends[0]!);
  }
  // Whoever comes back from a pause can go on from wherever the pause began.
  for (const start of returning) for (const state of live) add(start, state);
  return (name) => sources.get(name) ?? [];
}

/** What an operator can do in some states is possible in all, except to pause what is paused. */
export const commands: LifecycleRule = ({ definition, report }) => {
  const table = new Table(definition);
  for (const event of ['pause', 'cancel']) {
    if (!definition.rows.some((row) => row.event === event)) continue;
    for (const { name, kind, returns, at } of definition.states) {
      if (kind === 'terminal' || (event === 'pause' && returns)) continue;
      if (table.rows(name, event).length === 0)
        report(missingCommand(name, event), at, { at: 'key' });
    }
  }
};

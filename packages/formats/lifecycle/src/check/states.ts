import { nearestName, type Path, reachableFrom } from '@dramaturg/compiler';
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
import { stateKinds } from '../normalise/wiring.ts';
import { Table } from '../table.ts';
import type { LifecycleRule } from './rule.ts';

/** There are states, and their names are unique and no words of the table. */
export const stateNames: LifecycleRule = ({ definition, report }) => {
  const { states, statesAt } = definition;
  if (states.length === 0 && !definition.hasNameless)
    report(noStates(), statesAt, { about: [['states']] });
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
    if (names.has(name)) return;
    // It may be the state whose name cannot be read, and that is reported.
    if (definition.hasNameless && nearestName(name, known) === undefined) return;
    report(unknownState(name, known), path, { ...(at ? { at } : {}), topic: name });
  };
  if (known.length === 0) return; // A lifecycle without states is reported as such.
  const { initial, initialAt, terminal } = definition;
  if (initial !== undefined) check(initial, { path: initialAt });
  for (const { name, at } of terminal) check(name, at);
  // Rows share what they name: those for several events a target, those of one state of a map where they start.
  const seen = new Set<unknown>();
  for (const { from, to } of definition.rows) {
    if (from.kind === 'states' && !seen.has(from))
      for (const { name, at } of from.states) check(name, at);
    if (to?.kind === 'state' && !seen.has(to)) check(to.name, { path: to.at });
    seen.add(from).add(to);
  }
};

/** An instance begins in a state in which something can happen. */
export const initialState: LifecycleRule = ({ definition, report }) => {
  const { initial, initialAt, states, statesAt } = definition;
  if (initial === undefined) {
    const follows = [['initial'], ...stateKinds];
    if (states.length > 0) report(noInitialState(), statesAt, { at: 'key', follows });
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
  if (ends.length === 0)
    return report(noTerminalState(), statesAt, { at: 'key', follows: stateKinds });
  const canEnd = reachableFrom(ends, sourcesOf(definition));
  if (canEnd.has(anywhere)) return;
  const endless = states.filter(({ name }) => !canEnd.has(name));
  const [first, ...others] = endless;
  // When no row at all leads to an end, that is what the chart is told of.
  if (!first || endless.length === states.length - ends.length) return;
  report(noWayToAnEnd(endless.map(({ name }) => name)), first.at, {
    at: 'key',
    follows: definition.wiring,
    related: others.map(({ name, at }) => ({ path: at, message: `Nor from "${name}".` })),
  });
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
      // Of a state that nothing leaves another rule speaks.
      if (table.own(name).size === 0) continue;
      if (table.rows(name, event).length === 0)
        report(missingCommand(name, event), at, {
          at: 'key',
          follows: definition.wiring,
          topic: event,
        });
    }
  }
};

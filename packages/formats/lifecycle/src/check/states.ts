import type { Path } from '@dramaturg/compiler';
import { reachableFrom } from '@dramaturg/compiler/chart';
import { agreeing, didYouMean, nearestName, quotedList } from '@dramaturg/compiler/text';
import type { DocumentLocation, Lifecycle, LifecycleRule } from '../definition.ts';
import { longestState } from '../limits.ts';
import { error, warning } from '../problems.ts';
import { Table } from '../table.ts';
import { stateKinds } from '../wiring.ts';

const noInitialState = error('no-initial-state', () => ({
  message: 'The lifecycle has no initial state.',
  hint: 'Add "initial": the name of a state.',
}));

const badInitialState = error(
  'bad-initial-state',
  (name: string, because: 'terminal' | 'returning') => ({
    message:
      because === 'terminal'
        ? `The lifecycle begins in "${name}", which is terminal, so an instance would end at once.`
        : `The lifecycle begins in "${name}", which leads back to the previous state, but there is no previous state.`,
    hint: 'Begin in another state.',
  }),
);

/** Reports a missing initial state, and one that is terminal or leads back to the previous state. */
export const missingInitialStates: LifecycleRule = ({ definition, report }) => {
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

const unknownState = error('unknown-state', (name: string, known: readonly string[]) => ({
  message: `There is no state "${name}".`,
  hint: () =>
    didYouMean(name, known) ?? 'Add it to "states", or write the name of an existing state.',
}));

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

const noStates = error('no-states', () => ({
  message: 'The lifecycle has no states.',
  hint: 'Add "states": { "OPEN": "initial", "CLOSED": "terminal" }.',
}));

const badStateName = error('bad-state-name', (name: string) => ({
  message:
    name.trim() === ''
      ? 'The name of this state is blank.'
      : name.length > longestState
        ? `The name of this state has ${name.length} characters. The limit is ${longestState}.`
        : `"${name}" is a reserved name and cannot be the name of a state.`,
  hint: 'Choose another name.',
}));

const duplicateState = error('duplicate-state', (name: string) => ({
  message: `There is more than one state "${name}".`,
  hint: 'Give each state a name of its own.',
}));

/** Reports lifecycles without states, and state names that are blank, too long, reserved or used twice. */
export const badStateNames: LifecycleRule = ({ definition, report }) => {
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

const blankText = error('blank-text', () => ({
  message: 'The text for the contact is blank.',
  hint: 'Write the sentence that the contact receives.',
}));

/** Reports blank texts in the policies. */
export const blankTexts: LifecycleRule = ({ definition, report }) => {
  const { after_end, times, fallbacks } = definition.policies;
  for (const cause of ['waiting', 'failed'] as const)
    if (fallbacks?.[cause]?.trim() === '') report(blankText(), ['policies', 'fallbacks', cause]);
  for (const [index, { text }] of (times.reminders ?? []).entries())
    if (text?.trim() === '') report(blankText(), ['policies', 'reminders', index, 'text']);
  if (after_end !== undefined && after_end !== 'start' && after_end.text.trim() === '')
    report(blankText(), ['policies', 'after_end', 'text']);
};

const endlessStay = error('endless-stay', () => ({
  message: 'The row waits for no event and stays in its state, so it would be taken endlessly.',
  hint: 'Add "to" with another state, or move the actions into the "entry" of the state. Only a row with the guard "no_turn" and the action "start_turn" may stay.',
}));

/** Reports rows without an event that stay in their state, except those that start a turn while none runs. */
export const endlessStays: LifecycleRule = ({ definition, report }) => {
  for (const { event, from, to, guard, actions, at } of definition.rows) {
    if (event !== undefined) continue;
    const leaves =
      to?.kind === 'previous' ||
      (to && !(from.kind === 'states' && from.states.some(({ name }) => name === to.name)));
    const startsTurn =
      guard?.kind === 'word' &&
      guard.word === 'no_turn' &&
      actions.some(({ word }) => word === 'start_turn');
    if (leaves || (startsTurn && !to)) continue;
    const parts = ['from', 'event', 'to', 'guard', 'actions'];
    report(endlessStay(), at, { follows: parts.map((part) => [...at, part]) });
  }
};

const noTerminalState = warning('no-terminal-state', () => ({
  message: 'No state is terminal, so an instance never ends.',
  hint: 'Name the last states in "terminal", or give them that kind.',
}));

const noWayToAnEnd = warning('no-way-to-an-end', (names: readonly string[]) => ({
  message: `From the ${agreeing('state', names.length)} ${quotedList(names)} no terminal state can be reached.`,
  hint: 'Add a row towards a terminal state.',
}));

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

const missingCommand = warning('missing-command', (name: string, event: string) => ({
  message: `The state "${name}" has no row for "${event}", but other states do.`,
  hint: `Add a row for it, or write a row from "*" for all states.`,
}));

/** Reports states without a row for `pause` or `cancel` when other states have one. A paused state needs none for `pause`. */
export const missingCommands: LifecycleRule = ({ definition, report }) => {
  const table = new Table(definition);
  for (const event of ['pause', 'cancel']) {
    if (!definition.rows.some((row) => row.event === event)) continue;
    for (const { name, kind, returns, at } of definition.states) {
      if (kind === 'terminal' || (event === 'pause' && returns)) continue;
      // Another rule reports states that no row leaves.
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

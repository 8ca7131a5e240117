import type { Path } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import type { Lifecycle, Row } from '../definition.ts';
import { error, info } from '../problems.ts';
import { wiringOf } from '../wiring.ts';
import { optionalText, record, textsOf } from './fields.ts';
import { readPolicies } from './policies.ts';
import { readRows } from './rows.ts';
import { conflictingKind, type DraftState, readStates, settledState } from './states.ts';

/**
 * Brings a lifecycle of any layout into one spelling and fills in the defaults. It never fails: a part
 * of a wrong shape is left out (the shape check reports it), so that rules can check the rest. Spec: docs/formats/lifecycle.md#layouts
 */
export function normalise(value: unknown, report: Report): Lifecycle {
  const root = record(value);
  const drafts = readStates(root['states'], report);
  const isBare = root['transitions'] === undefined && root['rows'] === undefined;
  const listed = Array.isArray(root['terminal']) ? textsOf(root['terminal'], ['terminal']) : [];
  const terminal = new Set(listed.map(({ text }) => text));
  for (const { name, kind } of drafts) if (kind === 'terminal') terminal.add(name);
  const rows = isBare
    ? assumedRows(drafts, report)
    : readRows(root, new Set(drafts.map(({ name }) => name)), report);
  const returning = new Set(rows.flatMap(returningStates));
  const initial = initialOf(root, drafts, report);
  const states = drafts.map((draft) => {
    const roles = {
      terminal: terminal.has(draft.name),
      initial: draft.name === initial,
      returns: returning.has(draft.name),
    };
    return settledState(draft, roles, report);
  });
  return {
    id: optionalText(root['id']) || 'lifecycle',
    title: optionalText(root['title']) || optionalText(root['id']) || 'Lifecycle',
    description: optionalText(root['description']),
    initial,
    initialAt: typeof root['initial'] === 'string' ? ['initial'] : placeOf(initial, drafts),
    terminal: listed.map(({ text, at }) => ({ name: text, at: { path: at } })),
    states,
    statesAt: Object.hasOwn(root, 'states') ? ['states'] : [],
    hasNameless: Array.isArray(root['states']) && root['states'].length > drafts.length,
    wiring: wiringOf(root),
    rows,
    policies: readPolicies(root['policies']),
  };
}

/** The states from which a row leads back. */
function returningStates({ from, to }: Row): string[] {
  if (to?.kind !== 'previous' || from.kind !== 'states') return [];
  return from.states.map(({ name }) => name);
}

const severalInitialStates = error('several-initial-states', (first: string) => ({
  message: `There is another initial state, "${first}", but there can be only one.`,
  hint: 'Change the kind of all but one, or write "initial" to choose.',
}));

/** The state that `initial` names, else the only state of that kind. */
function initialOf(
  root: Record<string, unknown>,
  states: readonly DraftState[],
  report: Report,
): string | undefined {
  const written = root['initial'];
  const [first, ...others] = states.filter(({ kind }) => kind === 'initial');
  if (typeof written === 'string') {
    const isKnown = states.some(({ name }) => name === written);
    const other = states.find(({ name, kind }) => kind === 'initial' && name !== written);
    if (other && isKnown) {
      const problem = conflictingKind(other.name, 'initial', 'not the one named in "initial"');
      report(problem, other.at, { at: 'key' });
    }
    return written;
  }
  for (const { at } of others)
    report(severalInitialStates(first!.name), at, { at: 'key', about: [] });
  return first?.name;
}

function placeOf(name: string | undefined, states: readonly DraftState[]): Path {
  return states.find((state) => state.name === name)?.at ?? [];
}

const assumedTransitions = info('assumed-transitions', () => ({
  message:
    'The table has no transitions, so every state that is not terminal leads to every other state, on an event with the name of that state.',
  hint: 'Write "transitions" to choose which state leads where.',
}));

/** The rows of a table without rows: from every state that is not terminal to every other state. */
function assumedRows(states: readonly DraftState[], report: Report): Row[] {
  if (states.length === 0) return [];
  report(assumedTransitions(), ['states'], {
    at: 'key',
    follows: [['transitions'], ['rows'], ['states', '*', 'kind']],
  });
  return states.map(({ name, at }) => ({
    id: '',
    from: { kind: 'any', at: { path: at } },
    event: name,
    guard: undefined,
    to: { kind: 'state', name, at },
    actions: [],
    raise: undefined,
    description: '',
    at,
    eventAt: { path: at },
  }));
}

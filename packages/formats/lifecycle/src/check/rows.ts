import type { Json, Path } from '@dramaturg/compiler';
import { didYouMean } from '@dramaturg/compiler/text';
import type { LifecycleRule, Row, Use } from '../definition.ts';
import { longestEvent } from '../limits.ts';
import { agentAvailable } from '../names.ts';
import { error, warning } from '../problems.ts';
import { Table } from '../table.ts';
import {
  actionWords,
  type Argument,
  guardWords,
  impliedGuards,
  isActionWord,
  isGuardWord,
  turnKinds,
} from '../vocabulary.ts';

const badEvent = error('bad-event', (name: string) => ({
  message:
    name.trim() === ''
      ? 'The name of this event is blank.'
      : name.length > longestEvent
        ? `The name of this event has ${name.length} characters. The limit is ${longestEvent}.`
        : `"${name}" cannot be the name of an event.`,
  hint: 'Write one or more words. "*", "__proto__" and names that begin with "xstate." are reserved.',
}));

/** Reports event names that are blank, too long or reserved by XState or JavaScript. Spec: docs/formats/lifecycle.md#rows */
export const badEvents: LifecycleRule = ({ definition, report }) => {
  for (const { event, eventAt, raise, at } of definition.rows) {
    if (event !== undefined && !isEventName(event))
      report(badEvent(event), eventAt.path, {
        ...(eventAt.at ? { at: eventAt.at } : {}),
        follows: [[...at, 'event']],
      });
    if (raise && !isEventName(raise.event)) report(badEvent(raise.event), raise.at);
  }
  for (const { timer } of definition.states)
    if (timer && !isEventName(timer.event)) report(badEvent(timer.event), timer.at);
};

function isEventName(name: string): boolean {
  if (name.trim() === '' || name.length > longestEvent || name === '__proto__') return false;
  return !name.includes('*') && !name.startsWith('xstate.');
}

const badCreation = error('bad-creation', (fault: 'target' | 'live' | 'effects' | 'guard') => ({
  message: {
    target: 'A row from null creates an instance, and this one names no state for it.',
    live: 'A row from null creates an instance, but no instance can begin in this state.',
    effects:
      'A row from null only chooses where an instance begins: it cannot have actions or raise events.',
    guard: 'A row from null can only have the guard "queued".',
  }[fault],
  hint: {
    target: 'Write "to": a state that is neither terminal nor leads back.',
    live: 'Write "to": a state that is neither terminal nor leads back.',
    effects: 'Move them to the "entry" of the state.',
    guard: 'Write the guard "queued", or remove the guard.',
  }[fault],
}));

/** Reports rows that create an instance (`from: null`) and do more than choose its first state. Spec: docs/formats/lifecycle.md#creation */
export const badCreations: LifecycleRule = ({ definition, report }) => {
  const { states } = new Table(definition);
  for (const { from, to, guard, actions, raise, at } of definition.rows) {
    if (from.kind !== 'nothing') continue;
    const isUnknown = guard?.kind === 'word' && !isGuardWord(guard.word);
    if (guard && !isUnknown && to && !(guard.kind === 'word' && guard.word === 'queued'))
      report(badCreation('guard'), guard.at);
    if (!to) report(badCreation('target'), at, { follows: [[...at, 'to']] });
    else if (actions.length > 0 || raise) report(badCreation('effects'), at);
    const target = to?.kind === 'state' ? states.get(to.name) : undefined;
    if (target && (target.kind === 'terminal' || target.returns))
      report(badCreation('live'), to!.at);
  }
};

const misplacedReturn = error('misplaced-return', (from: string) => ({
  message: `Only a suspended state leads back to the previous state, and ${from}.`,
  hint: 'Write the name of a state in "to", or set "kind": "suspended" in the state that this row leaves.',
}));

/** Reports rows that lead to the previous state but do not leave a suspended state. Spec: docs/formats/lifecycle.md#pause */
export const misplacedReturns: LifecycleRule = ({ definition, report }) => {
  const { states } = new Table(definition);
  for (const { from, to } of definition.rows) {
    if (to?.kind !== 'previous') continue;
    if (from.kind === 'nothing') report(misplacedReturn('this row creates an instance'), to.at);
    if (from.kind === 'any') report(misplacedReturn('"*" means every state'), to.at);
    if (from.kind !== 'states') continue;
    for (const { name } of from.states) {
      const kind = states.get(name)?.kind ?? 'suspended';
      // Rows that leave a terminal state have their own finding.
      if (kind !== 'suspended' && kind !== 'terminal')
        report(misplacedReturn(`"${name}" is ${kind}`), to.at);
    }
  }
};

const leavesTerminalState = error('leaves-terminal-state', (name: string) => ({
  message: `The state "${name}" is terminal, so no row can leave it.`,
  hint: 'Remove the row, or change the kind of the state.',
}));

/** Reports rows that leave a terminal state. Spec: docs/formats/lifecycle.md#states */
export const rowsFromTerminalStates: LifecycleRule = ({ definition, report }) => {
  const { states } = new Table(definition);
  // Rows for several events, and rows of one state of a map, share one `from`.
  for (const from of new Set(definition.rows.map((row) => row.from))) {
    if (from.kind !== 'states') continue;
    for (const { name, at } of from.states) {
      if (states.get(name)?.kind === 'terminal')
        report(leavesTerminalState(name), at.path, {
          ...(at.at ? { at: at.at } : {}),
          topic: name,
        });
    }
  }
};

const unheardEvent = warning(
  'unheard-event',
  (event: string, state: string, heard: readonly string[]) => ({
    message: `The event "${event}" is raised in the state "${state}", but no row there handles it.`,
    hint: () => didYouMean(event, heard) ?? 'Add a row for it, or do not raise it.',
  }),
);

/** Reports raised events that no row handles. */
export const unhandledEvents: LifecycleRule = ({ definition, report }) => {
  const table = new Table(definition);
  const { states, rows, policies } = definition;
  const check = (event: string, state: string, at: Path) => {
    const known = table.states.get(state);
    if (!known || known.kind === 'terminal' || table.rows(state, event).length > 0) return;
    const handled = [...table.own(state).keys(), ...table.anywhere.keys()].filter(
      (name) => name !== undefined,
    );
    report(unheardEvent(event, state, handled), at, { follows: definition.wiring, topic: event });
  };
  for (const [index, row] of rows.entries()) {
    if (!row.raise || row.to?.kind === 'previous') continue;
    // Rows for several events share the events that they raise.
    if (rows[index - 1]?.raise === row.raise) continue;
    for (const state of row.to ? [row.to.name] : statesOf(row, states))
      check(row.raise.event, state, row.raise.at);
  }
  for (const { name, timer, entry } of states) {
    if (timer) check(timer.event, name, timer.at);
    if (policies.pick_up === 'when_available') continue;
    for (const { word, at } of entry) if (word === 'call_agent') check(agentAvailable, name, at);
  }
};

function statesOf({ from }: Row, states: readonly { readonly name: string }[]): string[] {
  if (from.kind === 'nothing') return [];
  return (from.kind === 'any' ? states : from.states).map(({ name }) => name);
}

const shadowedRow = warning('shadowed-row', (guard: string, earlier: string) => ({
  message: `This row is never taken: whenever "${guard}" holds, "${earlier}" of an earlier row for the same event holds, too.`,
  hint: 'Move this row before the earlier one, or change one of the guards.',
}));

/** Reports rows whose guard implies that of an earlier row in each of their states. Spec: docs/formats/lifecycle.md#rows */
export const shadowedRows: LifecycleRule = ({ definition, report }) => {
  const table = new Table(definition);
  const free = new Set<Row>();
  const earlier = new Map<Row, Row>();
  const lists = definition.states.flatMap(({ name }) => [...table.own(name).values()]);
  // A row of one state may replace a row from anywhere on purpose.
  for (const rows of [...lists, ...table.anywhere.values()]) {
    const words = new Map<string, Row>();
    for (const row of rows) {
      const word = wordOf(row);
      const wider = word && impliedGuards[word]?.find((each) => words.has(each));
      if (wider) earlier.set(row, words.get(wider)!);
      else free.add(row);
      if (word && !words.has(word)) words.set(word, row);
    }
  }
  for (const [row, before] of earlier)
    if (!free.has(row))
      report(shadowedRow(wordOf(row)!, wordOf(before)!), row.at, {
        related: [{ path: before.at, message: 'This one is taken instead.' }],
      });
};

function wordOf({ guard }: Row) {
  return guard?.kind === 'word' && isGuardWord(guard.word) ? guard.word : undefined;
}

const unknownAction = error('unknown-action', (word: string) => ({
  message: `There is no action "${word}".`,
  hint: () =>
    didYouMean(word, Object.keys(actionWords)) ??
    'Use an action of docs/formats/lifecycle.md, or { "emit": "name" } to emit an event of your own.',
}));

const badArgument = error('bad-argument', (word: string, wanted: string, given: unknown) => ({
  message: `The action "${word}" ${wanted}.`,
  hint: () =>
    (typeof given === 'string' ? didYouMean(given, turnKinds) : undefined) ??
    'Write an action as its name, or as { "name": argument }.',
}));

const unknownGuard = error('unknown-guard', (word: string) => ({
  message: `There is no guard "${word}".`,
  hint: () =>
    didYouMean(word, guardWords) ??
    'Use a guard of docs/formats/lifecycle.md, or { "event": { "field": value } } to check the event.',
}));

/** Reports unknown guards and actions, and actions with a wrong argument. Spec: docs/formats/lifecycle.md#guards */
export const unknownWords: LifecycleRule = ({ definition, report }) => {
  const seen = new Set<readonly Use[]>();
  const checkUses = (uses: readonly Use[]) => {
    // Rows for several events share their actions.
    if (seen.has(uses)) return;
    seen.add(uses);
    for (const { word, argument, at } of uses) {
      if (!isActionWord(word)) report(unknownAction(word), at, { at: 'key' });
      else {
        const complaint = argumentProblem(actionWords[word], argument);
        if (complaint) report(badArgument(word, complaint, argument), at);
      }
    }
  };
  let last: unknown;
  for (const { guard, actions } of definition.rows) {
    if (guard?.kind === 'word' && guard !== last && !isGuardWord(guard.word))
      report(unknownGuard(guard.word), guard.at);
    last = guard;
    checkUses(actions);
  }
  for (const { entry } of definition.states) checkUses(entry);
};

function argumentProblem(argument: Argument, given: Json | undefined): string | undefined {
  switch (argument) {
    case 'none':
      return given === undefined ? undefined : 'has no argument';
    case 'reason':
      return given === undefined || typeof given === 'string'
        ? undefined
        : 'takes a text, the reason';
    case 'event':
      return typeof given === 'string' && isEventName(given)
        ? undefined
        : 'takes the name of an event';
    case 'turn':
      return given === undefined ||
        kindsIn(given).every((kind) => turnKinds.some((known) => known === kind))
        ? undefined
        : `takes the kind of the turn, ${turnKinds.map((kind) => `"${kind}"`).join(', ')}, or one for each state that it may come from`;
  }
}

function kindsIn(given: Json): readonly unknown[] {
  const isMap = typeof given === 'object' && given !== null && !Array.isArray(given);
  return isMap ? Object.values(given) : [given];
}

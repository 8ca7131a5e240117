import type { Json, Path } from '@dramaturg/compiler';
import type { Row, Use } from '../definition.ts';
import {
  badArgument,
  badCreation,
  badEvent,
  endlessStay,
  leavesTerminalState,
  misplacedReturn,
  unheardEvent,
  unknownAction,
  unknownGuard,
} from '../diagnostics/rows.ts';
import { longestEvent } from '../limits.ts';
import { agentAvailable } from '../names.ts';
import { Table } from '../table.ts';
import { type Argument, actionWords, isActionWord, isGuardWord, turnKinds } from '../vocabulary.ts';
import type { LifecycleRule } from './rule.ts';

/** Nothing leaves a terminal state. Spec: docs/formats/lifecycle.md#states */
export const terminalStates: LifecycleRule = ({ definition, report }) => {
  const { states } = new Table(definition);
  // Rows for several events, and those of one state of a map, share where they start.
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

/** Back to the previous state leads only a state that is made for it. Spec: docs/formats/lifecycle.md#pause */
export const returns: LifecycleRule = ({ definition, report }) => {
  const { states } = new Table(definition);
  for (const { from, to } of definition.rows) {
    if (to?.kind !== 'previous') continue;
    if (from.kind === 'nothing') report(misplacedReturn('nothing comes before an instance'), to.at);
    if (from.kind === 'any') report(misplacedReturn('"*" means every one'), to.at);
    if (from.kind !== 'states') continue;
    for (const { name } of from.states) {
      const kind = states.get(name)?.kind ?? 'suspended';
      // Of a terminal state it is said already that nothing leaves it.
      if (kind !== 'suspended' && kind !== 'terminal')
        report(misplacedReturn(`"${name}" is ${kind}`), to.at);
    }
  }
};

/** A row from nothing says where an instance begins, and no more. Spec: docs/formats/lifecycle.md#creation */
export const creations: LifecycleRule = ({ definition, report }) => {
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

/** The name of an event means itself, to XState too. Spec: docs/formats/lifecycle.md#rows */
export const eventNames: LifecycleRule = ({ definition, report }) => {
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

/** Guards and actions are words of the vocabulary. Spec: docs/formats/lifecycle.md#guards */
export const words: LifecycleRule = ({ definition, report }) => {
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
      return given === undefined ? undefined : 'takes nothing';
    case 'reason':
      return given === undefined || typeof given === 'string'
        ? undefined
        : 'takes a reason, a text in quotes';
    case 'event':
      return typeof given === 'string' && isEventName(given)
        ? undefined
        : 'takes the name of an event';
    case 'turn':
      return given === undefined ||
        kindsIn(given).every((kind) => turnKinds.some((known) => known === kind))
        ? undefined
        : `takes the kind of the turn, ${turnKinds.map((kind) => `"${kind}"`).join(', ')}, or one for each state it may come from`;
  }
}

function kindsIn(given: Json): readonly unknown[] {
  const isMap = typeof given === 'object' && given !== null && !Array.isArray(given);
  return isMap ? Object.values(given) : [given];
}

/** What waits for nothing and leads nowhere would be taken for ever, unless it starts the turn that it waits for. */
export const stays: LifecycleRule = ({ definition, report }) => {
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

/** What the table raises for itself, the table takes up again. */
export const raisedEvents: LifecycleRule = ({ definition, report }) => {
  const table = new Table(definition);
  const { states, rows, policies } = definition;
  const check = (event: string, state: string, at: Path) => {
    const known = table.states.get(state);
    if (!known || known.kind === 'terminal' || table.rows(state, event).length > 0) return;
    const heard = [...table.own(state).keys(), ...table.anywhere.keys()].filter(
      (name) => name !== undefined,
    );
    report(unheardEvent(event, state, heard), at, { follows: definition.wiring, topic: event });
  };
  for (const [index, row] of rows.entries()) {
    if (!row.raise || row.to?.kind === 'previous') continue;
    // Rows for several events share what they raise.
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

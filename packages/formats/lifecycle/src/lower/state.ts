import type { JsonObject } from '@dramaturg/compiler';
import type { ChartNode, ChartTransition } from '@dramaturg/compiler/chart';
import type { Lifecycle, Row, State } from '../definition.ts';
import { agentAvailable, contactWaits, stateNode } from '../names.ts';
import type { Table } from '../table.ts';
import { behaviourName } from '../vocabulary.ts';
import { action, guard, input } from './references.ts';
import { actionsOf, settling, telling, transitionOf } from './transition.ts';

/** A state of the table: what happens on entry, its timer, and its rows in order of preference. */
export function lowerState(authored: State, lifecycle: Lifecycle, table: Table): ChartNode {
  const state = withQuietWindow(authored, lifecycle);
  const { name, kind, description, timer, entry } = state;
  const { policies } = lifecycle;
  const isTerminal = kind === 'terminal';
  const id = stateNode(name);
  const always = isTerminal ? [] : table.rows(name, undefined);
  const on = isTerminal ? {} : eventsOf(state, lifecycle, table);
  return {
    id,
    ...(isTerminal ? { type: 'final' as const } : {}),
    ...(description ? { description } : {}),
    tags: [kind],
    entry: [action('enter', { state: name }), ...actionsOf(entry, policies)],
    // A suspended state has neither a timer nor a turn to stop.
    ...(mayBeInterrupted(state, lifecycle) ? { exit: [action('leave')] } : {}),
    ...(timer && !isTerminal ? { invoke: [timerOf(timer.event, id)] } : {}),
    ...(always.length > 0
      ? { always: always.map((row) => transitionOf(row, lifecycle, name)) }
      : {}),
    ...(Object.keys(on).length > 0 ? { on } : {}),
    meta: metaOf(state, lifecycle, table),
  };
}

/** Adds the quiet window: a state that calls the agent for a message of the contact first waits until no more messages come. */
function withQuietWindow(state: State, { policies }: Lifecycle): State {
  const { kind, entry, timer, at } = state;
  const waitingAfter = policies.fallbacks?.waiting_after_ms;
  if (waitingAfter && !timer && entry.some(({ word }) => word === 'start_turn'))
    return {
      ...state,
      timer: { event: contactWaits, after_ms: waitingAfter, at },
    };
  const calls = kind === 'waiting' && entry.some(({ word }) => word === 'call_agent');
  const { settle } = settling(policies);
  if (!calls || timer || !settle) return state;
  return { ...state, timer: { event: agentAvailable, after_ms: undefined, settle, at } };
}

/**
 * The rows for each event. Rows from anywhere belong to `live`, with two exceptions. The target state of such a row handles the
 * event itself, so that the row does not apply there. A sibling of `live` has copies of all of them.
 */
function eventsOf(
  { name, returns }: State,
  lifecycle: Lifecycle,
  table: Table,
): Record<string, ChartTransition[]> {
  const on = new Map<string, ChartTransition[]>();
  const transitions = (rows: readonly Row[]) =>
    rows.map((row) => transitionOf(row, lifecycle, name));
  for (const [event, rows] of table.own(name))
    if (event !== undefined) on.set(event, transitions(rows));
  for (const [event, rows] of table.anywhere) {
    if (event === undefined) continue;
    const isShut = rows.some((row) => leadsTo(row, name));
    if (!isShut && !returns) continue;
    const applicable = transitions(table.rows(name, event));
    if (isShut) applicable.push({ actions: [action('refuse')] });
    on.set(event, applicable);
  }
  const { entry } = lifecycle.states.find((state) => state.name === name)!;
  if (
    lifecycle.policies.fallbacks?.waiting_after_ms &&
    entry.some(({ word }) => word === 'start_turn')
  )
    on.set(contactWaits, [{ actions: telling('waiting', lifecycle.policies) }]);
  return Object.fromEntries(on);
}

function leadsTo({ to }: Row, state: string): boolean {
  return to?.kind === 'state' && to.name === state;
}

/** A due timer raises its event. A timer that fires too early is set again. */
function timerOf(event: string, id: string): NonNullable<ChartNode['invoke']>[number] {
  return {
    id: 'timer',
    src: 'timer',
    input: input('timer'),
    onDone: [
      { guard: guard('timerIsDue'), actions: [action('raise', { event })] },
      { target: `#${id}`, reenter: true, actions: [action('keepTimer')] },
    ],
    onError: [{ actions: [action('timerFailed')] }],
  };
}

/** A turn can be interrupted in any state, so in a table with turns every state has an exit action. */
function mayBeInterrupted({ kind, returns, timer }: State, { states, rows }: Lifecycle): boolean {
  if (kind === 'terminal' || returns) return false;
  const startsTurn = ({ word }: { readonly word: string }) => word === 'start_turn';
  return (
    timer !== undefined ||
    states.some(({ entry }) => entry.some(startsTurn)) ||
    rows.some(({ actions }) => actions.some(startsTurn))
  );
}

/** The part of a state that behaviour reads. */
function metaOf(
  { name, kind, returns, holds_contact, timer, at }: State,
  { policies }: Lifecycle,
  table: Table,
): NonNullable<ChartNode['meta']> {
  return {
    origin: at,
    title: name,
    state: name,
    kind,
    ...(kind === 'terminal' ? {} : { accepts: accepted(table.own(name)) }),
    ...(returns ? { returns: true } : {}),
    ...(holds_contact ? {} : { holds_contact: false }),
    ...(timer
      ? {
          timer: {
            event: timer.event,
            ...(timer.after_ms === undefined ? {} : { after_ms: timer.after_ms }),
            ...(timer.settle ? { settle: { ...timer.settle } } : {}),
            resume: policies.heartbeat.resume_timer,
          },
        }
      : {}),
  };
}

/** The events that rows wait for: the guards that decide, and the target if all rows lead to one state. */
export function accepted(rows: Table['anywhere']): JsonObject[] {
  return Array.from(rows).flatMap(([event, its]) => {
    if (event === undefined) return [];
    const names = its.map(({ guard: use }) =>
      use?.kind === 'word' ? behaviourName(use.word) : undefined,
    );
    const guards = [...new Set(names)].filter((name) => name !== undefined);
    const targets = new Set(its.map(({ to }) => (to?.kind === 'state' ? to.name : undefined)));
    const [only] = targets;
    return [
      {
        event,
        ...(guards.length > 0 ? { guards } : {}),
        ...(targets.size === 1 && only !== undefined ? { to: only } : {}),
      },
    ];
  });
}

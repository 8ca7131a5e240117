import type { Chart, JsonObject } from '@dramaturg/compiler';
import { bareWord } from '@dramaturg/compiler/text';
import { type ChartNode, type ChartTransition, nodeKey } from '@dramaturg/compiler/chart';
import type { Lifecycle, Row, State } from '../definition.ts';
import {
  agentAvailable,
  contactWaits,
  historyNode,
  liveNode,
  stateKey,
  stateNode,
} from '../names.ts';
import { Table } from '../table.ts';
import { action, context, guard, input, output } from './references.ts';
import { actionsOf, settling, telling, transitionOf } from './transition.ts';
import { behaviourName } from '../vocabulary.ts';

/**
 * A lifecycle is a node `live`, which has a child for each live state and the rows that apply in all of them. Its siblings are
 * the suspended states, which lead back by the history of `live`, and the terminal states. Spec: docs/formats/lifecycle.md#chart
 */
export function lower(lifecycle: Lifecycle): Chart {
  const { states, policies, description, rows } = lifecycle;
  const table = new Table(lifecycle);
  const nodes = (isMeant: (state: (typeof states)[number]) => boolean) =>
    Object.fromEntries(
      states
        .filter(isMeant)
        .map((state) => [stateKey(state.name), lowerState(state, lifecycle, table)]),
    );
  const isLive = ({ kind, returns }: (typeof states)[number]) => kind !== 'terminal' && !returns;
  const hasCreations = rows.some(({ from }) => from.kind === 'nothing');
  const isPaused = states.some(({ returns }) => returns);
  const { interval_ms, max_followups } = policies.heartbeat;
  const { reminders: _, ...times } = policies.times;
  const initial = lifecycle.initial!;
  const anywhere = Array.from(table.anywhere).flatMap(
    ([event, its]): [string, ChartTransition[]][] =>
      event === undefined ? [] : [[event, its.map((row) => transitionOf(row, lifecycle))]],
  );
  return {
    chart: 1,
    format: 'lifecycle',
    // Every other id of the chart contains a colon, so none can equal the id of a lifecycle.
    id: nodeKey(lifecycle.id).replaceAll(':', '%3A'),
    ...(description ? { description } : {}),
    context: context('start', { interval_ms, max_followups }),
    output: output('result'),
    initial: hasCreations ? 'created' : 'live',
    // An event that no row of the current state waits for changes nothing and is answered with `event.refused`.
    on: { '*': [{ actions: [action('refuse')] }] },
    // A host reads here whether instances expect `instance.recovered` after a restart.
    meta: {
      origin: [],
      title: lifecycle.title,
      restart_timer: policies.heartbeat.restart_timer,
      // A host reads here how often it tries a failed call.
      ...(policies.model_failure.attempts > 1 && { model_failure: policies.model_failure }),
      ...(policies.overlap === 'supersede' && { overlap: policies.overlap }),
      ...(times as JsonObject),
      ...(policies.after_end && { after_end: policies.after_end }),
      // A host handles these words before the flow.
      ...(policies.words.length > 0 && {
        words: policies.words.map(({ text, means, says }) => ({
          text: bareWord(text),
          means,
          ...(says !== undefined && { says }),
        })),
      }),
    },
    states: {
      ...(hasCreations ? { created: creationNode(lifecycle) } : {}),
      live: {
        id: liveNode,
        initial: stateKey(initial),
        ...(anywhere.length > 0 ? { on: Object.fromEntries(anywhere) } : {}),
        states: {
          ...nodes(isLive),
          ...(isPaused ? { history: { id: historyNode, type: 'history' } } : {}),
        },
        meta: {
          // Without rows or pauses for all states, they are drawn without a box around them.
          ...(anywhere.length > 0 || isPaused ? { origin: lifecycle.statesAt } : {}),
          accepts: accepted(table.anywhere),
          ...(Object.keys(policies.times).length > 0 && { times: policies.times as JsonObject }),
        },
      },
      ...nodes((state) => !isLive(state)),
    },
  };
}

/** The state in which an instance begins depends on how it was created. Spec: docs/formats/lifecycle.md#creation */
function creationNode({ rows, initial }: Lifecycle): ChartNode {
  const creations = rows.flatMap(
    ({ from, event, guard: queued, to, at, description }): ChartTransition[] => {
      if (from.kind !== 'nothing' || to?.kind !== 'state') return [];
      const params = { event: event!, ...(queued ? { queued: true as const } : {}) };
      return [
        {
          target: `#${stateNode(to.name)}`,
          guard: guard('created', params),
          ...(description ? { description } : {}),
          meta: { origin: at },
        },
      ];
    },
  );
  return { always: [...creations, { target: `#${stateNode(initial!)}` }] };
}

/** A state of the table: what happens on entry, its timer, and its rows in order of preference. */
function lowerState(authored: State, lifecycle: Lifecycle, table: Table): ChartNode {
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
function accepted(rows: Table['anywhere']): JsonObject[] {
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

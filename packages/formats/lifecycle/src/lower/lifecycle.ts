import type { Chart, JsonObject } from '@dramaturg/compiler';
import { bareWord } from '@dramaturg/compiler/text';
import { type ChartNode, type ChartTransition, nodeKey } from '@dramaturg/compiler/chart';
import type { Lifecycle } from '../definition.ts';
import { historyNode, liveNode, stateKey, stateNode } from '../names.ts';
import { Table } from '../table.ts';
import { action, context, guard, output } from './references.ts';
import { accepted, lowerState } from './state.ts';
import { transitionOf } from './transition.ts';

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

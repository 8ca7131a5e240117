import type { Chart, JsonObject } from '@dramaturg/compiler';
import { type ChartNode, hiddenTag, nodeKey, type Reference } from '@dramaturg/compiler/chart';
import { conversationChart, end, human, restart } from '@dramaturg/conversation';
import { type Graph, type State, targetsOf, toolsOf } from '../definition.ts';
import {
  backNode,
  calledEndNode,
  endNode,
  graphNode,
  internal,
  leavingNode,
  restartNode,
  stateNode,
} from '../names.ts';
import type { ContextGraphOptions } from '../shape.ts';
import { initialStates } from '../state-graph.ts';
import { mappedGraphs } from '../topology.ts';
import {
  addressOf,
  type Call,
  callsOf,
  endsSilently,
  enter,
  type EnteredGraph,
  enteredGraphs,
  isCalled,
} from './entered-graph.ts';
import { metaOfGraph, needOf } from './meta.ts';
import { action, context, guard } from './references.ts';
import { hop, lowerAction, lowerHidden } from './state.ts';
import { lowerTurn } from './turn.ts';

/**
 * A graph has two parallel regions: `flow` is the current state, and `turn` says who must act next. They exchange the events of
 * names.ts. A call of another graph is a compound state in the flow; its final node is the terminal state of that graph.
 * Spec: docs/formats/context-graph.md#chart
 */
export function lower(graph: Graph, options: ContextGraphOptions): Chart {
  const root = enter(graph, initialStates(graph), options);
  const placed = enteredGraphs(root).flatMap((entered) =>
    entered.states.map((state) => ({ entered, state })),
  );
  const needs = placed.flatMap(({ entered, state }) => needOf(entered, state) ?? []);
  const tools = placed.flatMap(({ state }) => Object.entries(toolsOf(state)));
  const lists = new Set(tools.flatMap(([list, specs]) => (specs.length > 0 ? list : [])));
  return conversationChart(graph.name, {
    format: 'context-graph',
    description: graph.description,
    context: context('start', rolesOf(graph)),
    meta: { title: titleOf(graph), ...otherEntry(graph) },
    conversation: {
      on: { cancel: [{ target: 'ended', actions: [action('cancel')] }] },
      states: { flow: flowRegion(graph, root, placed), turn: lowerTurn(needs, lists, options) },
    },
    ended: { id: endNode },
  });
}

interface PlacedState {
  readonly entered: EnteredGraph;
  readonly state: State;
}

function flowRegion(graph: Graph, root: EnteredGraph, placed: readonly PlacedState[]): ChartNode {
  const maps = mappedGraphs(graph).map((mapped) => mapped.graph);
  const others = new Set(
    placed.flatMap(({ state }) =>
      targetsOf(state).map((target) => (target.kind === 'other' ? target.target : '')),
    ),
  );
  const toBack = (...actions: readonly Reference[]) => [{ target: 'back', actions }];
  return {
    initial: 'beginning',
    on: { [internal.void]: [{ target: `#${backNode}` }] },
    states: {
      beginning: { always: toBack(action('begin')) },
      graph: graphCompound(root, graph.new_user_initial_state, maps),
      ...(others.has(restart) && {
        restart: {
          id: restartNode,
          tags: [hiddenTag],
          meta: { title: 'From the beginning' },
          always: toBack(action('restart', rolesOf(graph))),
        },
      }),
      // The latest action state says the message that hands over or ends.
      ...((others.has(end) || others.has(human)) && {
        leaving: {
          id: leavingNode,
          tags: [hiddenTag],
          meta: { title: 'Ended here', kind: 'outcome' },
          always: toBack(),
        },
      }),
      // `back` has arrows to every action state, so drawings leave it out.
      back: {
        id: backNode,
        tags: [hiddenTag],
        always: placed.flatMap(({ entered, state: { name, type }, state }) => {
          if (type !== 'action' || endsSilently(entered, state)) return [];
          const address = addressOf(entered, name);
          return [{ target: `#${stateNode(address)}`, guard: guard('isIn', { state: address }) }];
        }),
      },
    },
  };
}

/** The states in which conversations begin. */
function rolesOf(graph: Graph) {
  const { new_user_initial_state, returning_user_initial_state } = graph;
  return { new_user_initial_state, returning_user_initial_state };
}

function titleOf({ name, description }: Graph): string {
  if (name !== 'context-graph') return name;
  const [sentence = ''] = description.split(/(?<=\.)\s/u, 1);
  return sentence.replace(/\.$/, '').slice(0, 80) || name;
}

/** The entries that drawings show besides the initial state. */
function otherEntry(graph: Graph): JsonObject {
  const { new_user_initial_state: fresh, returning_user_initial_state: returning } = graph;
  if (fresh === returning) return {};
  return { entries: [{ name: 'returning user', target: stateNode(returning) }] };
}

/** Names of states have no brackets, so no state has this key. */
const traversalKey = '(traversal)';
const endedKey = '(ended)';

function graphCompound(entered: EnteredGraph, entry: string, maps: readonly Graph[]): ChartNode {
  const visible = entered.states.filter((state) => state.type === 'action');
  const hidden = entered.states.filter((state) => state.type !== 'action');
  const hiddenEntry = hidden.find(({ name }) => name === entry) ?? hidden[0];
  return {
    id: graphNode(entered.path),
    initial: visible.some(({ name }) => name === entry) ? nodeKey(entry) : traversalKey,
    meta: metaOfGraph(entered, maps),
    states: {
      ...Object.fromEntries(
        visible.map((state) => [nodeKey(state.name), lowerAction(entered, state)]),
      ),
      ...(hiddenEntry
        ? {
            [traversalKey]: {
              initial: nodeKey(hiddenEntry.name),
              meta: { title: 'traversal' },
              states: Object.fromEntries(
                hidden.map((state) => [nodeKey(state.name), lowerHidden(entered, state)]),
              ),
            },
          }
        : {}),
      ...(isCalled(entered) && entered.options.childTerminal === 'speak'
        ? { [endedKey]: { id: calledEndNode(entered.path), type: 'final' } }
        : {}),
      ...Object.fromEntries(
        callsOf(entered).map((call) => [nodeKey(call.name), callCompound(entered, call, maps)]),
      ),
    },
  };
}

/** A call is over when the referenced graph's terminal state, its final node, is reached. */
function callCompound(entered: EnteredGraph, call: Call, maps: readonly Graph[]): ChartNode {
  const to = { kind: 'state', state: call.jumpback, at: call.at } as const;
  return {
    ...graphCompound(call.entered, call.entry, maps),
    onDone: hop(entered, to, { follow: 'comeBack', description: 'done' }),
  };
}

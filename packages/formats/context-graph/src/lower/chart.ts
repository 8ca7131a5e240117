import type { Chart, JsonObject } from '@dramaturg/compiler';
import {
  type ChartNode,
  type ChartTransition,
  hiddenTag,
  nodeKey,
} from '@dramaturg/compiler/chart';
import {
  end,
  failedCall,
  failedTurn,
  human,
  messageInTurn,
  restart,
  summarising,
} from '@dramaturg/conversation';
import { type ContextGraphOptions, type Graph, type State, targetsOf } from '../definition.ts';
import {
  type Address,
  calledEndNode,
  endNode,
  fallbackNode,
  graphNode,
  leavingNode,
  phaseNode,
  restartNode,
  stateNode,
  summaryNode,
  voidNode,
} from '../names.ts';
import { initialStates } from '../state-graph.ts';
import { mapOf, mappedGraphs } from '../topology.ts';
import { lowerAction } from './action.ts';
import {
  addressOf,
  type Call,
  callsOf,
  endsSilently,
  type EnteredGraph,
  enteredGraphs,
  enterRoot,
  isCalled,
  originOf,
} from './entered-graph.ts';
import { lowerHidden } from './hidden.ts';
import { hop } from './hop.ts';
import { action, context, guard, output } from './references.ts';

/**
 * Lowers a graph to a compound state with its action states and the traversal, which contains the hidden states. A call
 * of another graph is another such compound state; its final node is the terminal state of that graph.
 * Spec: docs/formats/context-graph.md#chart
 */
export function lower(graph: Graph, options: ContextGraphOptions): Chart {
  const root = enterRoot(graph, initialStates(graph), options);
  const maps = mappedGraphs(graph).map((mapped) => mapped.graph);
  const actions = enteredGraphs(root).flatMap((entered) =>
    entered.states
      .filter((state) => state.type === 'action' && !endsSilently(entered, state))
      .map((state) => ({ address: addressOf(entered, state.name), state })),
  );
  const addresses = actions.map(({ address }) => address);
  const leaving = actions.flatMap(({ address, state }) =>
    state.type === 'action' && state.exit_conditions.length > 0 ? [address] : [],
  );
  const others = new Set(
    enteredGraphs(root).flatMap(({ states }) => states.flatMap(otherTargetsOf)),
  );
  return {
    chart: 1,
    format: 'context-graph',
    // Every other id of the chart contains a colon, so none can equal the id of a graph.
    id: nodeKey(graph.name).replaceAll(':', '%3A'),
    ...(graph.description ? { description: graph.description } : {}),
    context: context('start', { state: graph.new_user_initial_state }),
    output: output('result'),
    initial: 'conversation',
    meta: { origin: [], title: titleOf(graph), ...otherEntry(graph) },
    states: {
      conversation: {
        initial: 'beginning',
        on: {
          'message.received': messageInTurn,
          cancel: [{ target: 'ended', actions: [action('cancel')] }],
        },
        states: {
          beginning: { always: beginnings(graph) },
          graph: graphCompound(root, graph.new_user_initial_state, maps),
          ...(others.has(restart) ? { restart: beginningAgain(graph) } : {}),
          ...(others.has(end) || others.has(human) ? { leaving: leavingNodeOf(addresses) } : {}),
          ...(options.summariseAfter === undefined
            ? {}
            : { summarising: summaryNodeOf(addresses, options.summariseAfter) }),
          // `fallback`, `failed` and `void` have arrows to or from every action state, so drawings leave them out.
          fallback: {
            id: fallbackNode,
            tags: [hiddenTag],
            always: leaving.map((state) => ({
              target: `#${phaseNode(state, 'selecting')}`,
              guard: guard('fallsBackTo', { state }),
            })),
          },
          failed: failedTurn([hiddenTag]),
          void: {
            id: voidNode,
            tags: [hiddenTag],
            always: addresses.map((state) => ({
              target: `#${phaseNode(state, 'waiting')}`,
              guard: guard('beganIn', { state }),
              actions: [action('voidTurn')],
            })),
          },
        },
      },
      ended: { id: endNode, type: 'final', entry: [action('announceEnd')] },
    },
  };
}

function otherTargetsOf(state: State): string[] {
  return targetsOf(state).flatMap((target) => (target.kind === 'other' ? [target.target] : []));
}

/** The latest action state says the message that hands over or ends. */
function leavingNodeOf(addresses: readonly Address[]): ChartNode {
  return {
    id: leavingNode,
    tags: [hiddenTag],
    meta: { title: 'Ended here', kind: 'outcome' },
    always: addresses.map((state) => ({
      target: `#${phaseNode(state, 'engaging')}`,
      guard: guard('fallsBackTo', { state }),
    })),
  };
}

/** Writes a summary, and waits in the state that has spoken. */
function summaryNodeOf(addresses: readonly Address[], after: number): ChartNode {
  const backTo = (actions: ChartTransition['actions'] = []) =>
    addresses.map((state) => ({
      target: `#${phaseNode(state, 'waiting')}`,
      guard: guard('restsIn', { state }),
      actions,
    }));
  const written = backTo([action('takeSummary', { after })]);
  return {
    id: summaryNode,
    tags: [hiddenTag],
    invoke: [summarising({ written, failed: backTo() }, { after })],
  };
}

/** Leads to the state in which the conversation has begun. */
function beginningAgain(graph: Graph): ChartNode {
  const { new_user_initial_state: fresh, returning_user_initial_state: returning } = graph;
  const again = (to: Address) => ({
    target: `#${stateNode(to)}`,
    actions: [action('restart', { to })],
  });
  return {
    id: restartNode,
    tags: [hiddenTag],
    meta: { title: 'From the beginning' },
    always: [
      ...(returning === fresh
        ? []
        : [{ ...again(returning), guard: guard('begins', { returning: true }) }]),
      again(fresh),
    ],
  };
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

/** Begins for a new or a returning user, and with the agent or the person speaking first. */
function beginnings(graph: Graph): ChartTransition[] {
  const { new_user_initial_state: fresh, returning_user_initial_state: returning } = graph;
  const beginIn = (state: Address, who?: { readonly returning: true }): ChartTransition[] => [
    {
      target: `#${phaseNode(state, 'waiting')}`,
      guard: guard('begins', { opening: 'person', ...who }),
      actions: [action('begin', { state })],
    },
    {
      target: `#${stateNode(state)}`,
      ...(who && { guard: guard('begins', who) }),
      actions: [action('begin', { state }), action('openTurn')],
    },
  ];
  return [
    ...(fresh === returning ? [] : beginIn(returning, { returning: true })),
    ...beginIn(fresh),
  ];
}

/** Names of states have no brackets, so no state has this key. */
const traversalKey = '(traversal)';
const endedKey = '(ended)';
const failedCallKey = '(failed call)';

/** Deep, because the node that makes the call is several levels below. */
const failedCallInGraph: ChartNode = { ...failedCall, history: 'deep', tags: [hiddenTag] };

function graphCompound(entered: EnteredGraph, entry: string, maps: readonly Graph[]): ChartNode {
  const visible = entered.states.filter(({ type }) => type === 'action');
  const hidden = entered.states.filter(({ type }) => type !== 'action');
  const hiddenEntry = hidden.find(({ name }) => name === entry) ?? hidden[0];
  return {
    id: graphNode(entered.path),
    initial: visible.some(({ name }) => name === entry) ? nodeKey(entry) : traversalKey,
    meta: metaOf(entered, maps),
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
      ...(isCalled(entered) ? {} : { [failedCallKey]: failedCallInGraph }),
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

/** The data of a graph that guards and prompts read. Maps are long, so each is stored once, in the compiled graph. */
function metaOf(entered: EnteredGraph, maps: readonly Graph[]): JsonObject {
  const { graph, path, options } = entered;
  return {
    origin: originOf(entered, []),
    ...(path === '' ? {} : { title: path.split('/').at(-2)! }),
    description: graph.description,
    topology: mappedGraphs(graph).map(({ title, graph: mapped }) => ({
      title,
      map: maps.indexOf(mapped),
    })),
    global_intra_state_navigation_guidelines: graph.global_intra_state_navigation_guidelines,
    global_action_guidelines: graph.global_action_guidelines,
    global_boundary_constraints: graph.global_boundary_constraints,
    ...(path === ''
      ? {
          ...(graph.on_end && { on_end: { ...graph.on_end } as unknown as JsonObject }),
          maps: maps.map(mapOf),
          maxTransitionsPerTurn: options.maxTransitionsPerTurn,
          maxVisitsPerState: options.maxVisitsPerState,
        }
      : {}),
  };
}

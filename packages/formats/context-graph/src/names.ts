import { nodeKey } from '@dramaturg/compiler/chart';

/** The contract between `lower` and `behaviour`: ids of nodes and addresses of states that both must spell alike. */

/**
 * The address of a state: its name after the calls that lead to its graph, each with a slash. A call names the reference, the
 * state that it enters and the state that it returns to, so an address contains the whole stack of jumpbacks: `intake.ask_name
 * then pick_slot/ask_dob`. Names contain neither slashes nor spaces.
 */
export type Address = string;

/** A call as part of an address; also the key of its node. */
export function callName(reference: string, state: string, jumpback: string): string {
  return `${reference}.${state} then ${jumpback}`;
}

/** The states that calls return to, the outermost first, each as its own caller's graph names it. */
export function jumpbacksOf(address: Address): string[] {
  const calls = address.split('/').slice(0, -1);
  return calls.map((call, index) => {
    const jumpback = call.slice(call.indexOf(' then ') + ' then '.length);
    return shownName(calls[index - 1], jumpback);
  });
}

/** The name of a state for people and traces: `ask_dob`, or `intake.ask_dob` in a referenced graph. */
export function shownState(address: Address): string {
  const parts = address.split('/');
  return shownName(parts.at(-2), parts.at(-1)!);
}

function shownName(call: string | undefined, name: string): string {
  return call === undefined ? name : `${call.slice(0, call.indexOf('.'))}.${name}`;
}

/** The id of a state's node: its `meta` carries the state. */
export function stateNode(address: Address): string {
  return `state:${nodeKey(address)}`;
}

/** The id of a graph's node, by the beginning of its addresses: its `meta` is about the whole graph. */
export function graphNode(path: string): string {
  return path === '' ? 'graph:' : `graph:${nodeKey(path)}`;
}

/** The id of the final node of a referenced graph whose terminal state speaks. */
export function calledEndNode(path: string): string {
  return `${graphNode(path)}:ended`;
}

/** The beginning of an address, which identifies the graph; empty in the compiled graph. */
export function graphPath(address: Address): string {
  return address.slice(0, address.lastIndexOf('/') + 1);
}

/** The node that leads to the current action state, and those of a message that hands over or ends, and of a new beginning. */
export const backNode = 'flow:back';
export const leavingNode = 'flow:leaving';
export const restartNode = 'flow:restart';
export const endNode = 'ended:';
/** The node of a turn that waits for the next state. */
export const movingNode = 'turn:moving';

/** What a state needs from the turn: the name of the node that gets it, or begins to. */
export type Need =
  | 'remembering'
  | 'selecting'
  | 'engaging'
  | 'deciding'
  | 'reflecting'
  | 'wording'
  | 'recalling'
  | 'preparing'
  | 'mailing';

/** Events the machine sends itself. */
export const internal = {
  /** What a state needs from the turn. */
  need: (need: Need) => `traversal.${need}` as const,
  /** The state has what it needs: the graph moves on. */
  next: 'traversal.next',
  /** The turn is void: the graph returns to where it began. */
  void: 'traversal.void',
} as const;

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

/** The id of a phase of an action state. */
export function phaseNode(address: Address, phase: Phase): string {
  return `${stateNode(address)}:${phase}`;
}

export type Phase = 'waiting' | 'remembering' | 'selecting' | 'engaging';

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

/** The nodes for a refused transition, a void turn, and the end of the conversation. */
export const fallbackNode = 'turn:fallback';
export const voidNode = 'turn:void';
export const endNode = 'turn:ended';
/** The nodes for a message that hands over or ends, and for a new beginning. */
export const leavingNode = 'turn:leaving';
export const restartNode = 'turn:restart';
/** The node that writes a summary between two turns. */
export const summaryNode = 'turn:summarising';

/** Ids of a state's options, by position: actions `A1`, `A2`, exits `E1`, `E2`. */
export function actionId(index: number): string {
  return `A${index + 1}`;
}

export function exitId(index: number): string {
  return `E${index + 1}`;
}

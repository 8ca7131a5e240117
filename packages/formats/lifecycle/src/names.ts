import { nodeKey } from '@dramaturg/compiler/chart';

/** The contract between `lower` and `behaviour`: ids of nodes, and names of events that both must spell alike. */

/** The node that contains every live state. Its `meta` has the events that are accepted in all of them. */
export const liveNode = 'live:';

/** Remembers which state of `live` was left for a pause. */
export const historyNode = 'history:';

/** The id of a state's node: its `meta` carries the state. */
export function stateNode(state: string): string {
  return `state:${nodeKey(state)}`;
}

const ownKeys = ['live', 'history', 'created'];

/** A state's key in its parent. Keys of nodes that no author wrote are reserved. */
export function stateKey(state: string): string {
  if (!ownKeys.includes(state)) return nodeKey(state);
  return `%${state.charCodeAt(0).toString(16).toUpperCase()}${state.slice(1)}`;
}

/** The contact has waited for long: the timer of a turn raises this event. */
export const contactWaits = 'contact.waits';

/** The machine raises it for itself where the table calls the agent. */
export const agentAvailable = 'agent.available';

/** The event of a row of creation when the input names none. */
export const create = 'create';

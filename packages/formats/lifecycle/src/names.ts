import { nodeKey } from '@dramaturg/compiler/chart';

/** The contract between `lower` and `behaviour`: ids of nodes, and names of events that both must spell alike. */

/** The node that holds every state in which an instance lives. Its `meta` has what is accepted in all of them. */
export const liveNode = 'live:';

/** Remembers which state of `live` was left for a pause. */
export const historyNode = 'history:';

/** The id of a state's node: its `meta` carries the state. */
export function stateNode(state: string): string {
  return `state:${nodeKey(state)}`;
}

const ownKeys = ['live', 'history', 'created'];

/** A state's key in its parent. The keys of nodes that no author wrote stay free for them. */
export function stateKey(state: string): string {
  if (!ownKeys.includes(state)) return nodeKey(state);
  return `%${state.charCodeAt(0).toString(16).toUpperCase()}${state.slice(1)}`;
}

/** Raised by the machine for itself, where the table says that the agent is called. */
/** The contact has waited for long: the timer of a turn raises it. */
export const contactWaits = 'contact.waits';

export const agentAvailable = 'agent.available';

/** The event of a row of creation when the input names none. */
export const create = 'create';

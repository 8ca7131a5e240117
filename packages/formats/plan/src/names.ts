import { nodeKey } from '@dramaturg/compiler/chart';

/** The contract between `lower` and `behaviour`: ids of nodes and names of events that both must spell alike. */

/** The node whose meta is about the whole plan. */
export const planNode = 'plan';

/** The id of a state's node: its `meta` carries the state. */
export function stateNode(id: string): string {
  return `state:${nodeKey(id)}`;
}

/** Events the machine sends itself, in the order in which a turn needs them. */
export const internal = {
  /** A value for a deliverable, a task done or skipped, the rest of a state skipped. */
  set: 'update.set',
  complete: 'update.complete',
  skip: 'update.skip',
  skipState: 'update.skipState',
  /** All parts of an update have been raised. */
  end: 'update.end',
  /** The transitions of the current state are to be tried, in their order. */
  evaluate: 'transitions.evaluate',
  /** A correction has changed a decision: the plan takes the new transition. */
  correct: 'transitions.correct',
  /** The agent has ended the conversation. */
  ended: 'conversation.endedByAgent',
  /** No transition holds any more: the turn may continue. */
  settled: 'transitions.settled',
} as const;

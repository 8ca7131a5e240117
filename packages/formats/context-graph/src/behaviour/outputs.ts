import type { GraphContext } from '../context.ts';
import type { GraphOutput } from '../events.ts';
import { shownState } from '../names.ts';

/** What a conversation leaves behind: the actor's output, and the last event it emits. */
export function result({ context }: { readonly context: GraphContext }): GraphOutput {
  const { outcome, state, reason } = context;
  return {
    outcome: outcome ?? 'completed',
    state: shownState(state),
    ...(reason === null ? {} : { reason }),
  };
}

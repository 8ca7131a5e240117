import type { JsonObject } from '@dramaturg/compiler';
import { endedByAgent } from '@dramaturg/conversation';
import type { NpcContext } from '../context.ts';
import type { NpcOutput } from '../events.ts';

/** The score and the results so far, and the variables that were extracted. */
export function collected({ score, results, variables }: NpcContext): JsonObject {
  return { score, results, variables };
}

/** What a conversation leaves behind: the actor's output, and the last event it emits. */
export function result({ context }: { readonly context: NpcContext }): NpcOutput {
  const {
    outcome,
    endless,
    endedByAgent: ending,
    machine,
    state,
    score,
    results,
    unlocked,
    variables,
  } = context;
  return {
    outcome: outcome ?? (ending ? (endless ? 'completed' : endedByAgent) : 'cancelled'),
    ...ending,
    machine,
    state,
    score,
    results,
    unlocked,
    variables,
  };
}

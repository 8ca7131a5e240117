import type { JsonObject } from '@dramaturg/compiler';
import type { PlanContext } from '../context.ts';
import type { PlanOutput } from '../events.ts';

/** The result of a conversation: the actor's output, and the last event that it emits. */
export function result({ context }: { readonly context: PlanContext }): PlanOutput {
  const volunteered = valuesOf(context.volunteered ?? {});
  return {
    outcome: context.outcome ?? 'completed',
    state: context.lastState,
    ...(context.reason === null ? {} : { reason: context.reason }),
    deliverables: collected(context),
    ...(Object.keys(volunteered).length === 0 ? {} : { volunteered }),
  };
}

/** The values of the deliverables, by key. */
export function collected({ deliverables }: Pick<PlanContext, 'deliverables'>): JsonObject {
  return valuesOf(deliverables);
}

function valuesOf(records: PlanContext['deliverables']): JsonObject {
  return Object.fromEntries(Object.entries(records).map(([key, { value }]) => [key, value]));
}

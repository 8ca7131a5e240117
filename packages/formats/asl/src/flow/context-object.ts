import type { Json, JsonObject } from '@dramaturg/compiler';
import type { Usage } from './usage.ts';

/** What a run knows of itself; the same for all of its branches and items. */
export interface Execution {
  readonly id: string;
  readonly name: string;
  /** Milliseconds since 1970 UTC. */
  readonly startedAt: number;
  readonly input: Json;
  /** More about the execution and its workflow, from whoever started it. */
  readonly context?: { readonly Execution?: JsonObject; readonly StateMachine?: JsonObject };
}

/** Which item of a Map a machine works on, and the index of its batch or item. */
export interface Item {
  readonly index: number;
  readonly value: Json;
}

/** The part of a machine's progress that the context object shows. */
export interface Visit {
  readonly state: string;
  /** Milliseconds since 1970 UTC. */
  readonly enteredAt: number;
  /** Undefined in a state that cannot be retried. */
  readonly retryCount: number | undefined;
  readonly token?: string | undefined;
}

/** What `$$` and `$states.context` see. Spec: Agent 3 §Context object, AWS "Context object" */
export function contextObject(
  execution: Execution,
  visit: Visit,
  item: Item | undefined,
  usage: Usage | undefined,
): JsonObject {
  return {
    Execution: {
      Id: execution.id,
      Input: execution.input,
      Name: execution.name,
      StartTime: timeOf(execution.startedAt),
      RedriveCount: 0,
      ...(usage && { Usage: { ...usage } }),
      ...execution.context?.Execution,
    },
    StateMachine: { Id: execution.name, Name: execution.name, ...execution.context?.StateMachine },
    State: {
      Name: visit.state,
      EnteredTime: timeOf(visit.enteredAt),
      ...(visit.retryCount !== undefined && { RetryCount: visit.retryCount }),
    },
    ...(item && { Map: { Item: { Index: item.index, Value: item.value } } }),
    ...(visit.token !== undefined && { Task: { Token: visit.token } }),
  };
}

function timeOf(moment: number): string {
  return new Date(moment).toISOString();
}

import type { Json, JsonObject } from '@dramaturg/compiler';
import type { Execution } from './execution.ts';
import { childContext, type ChildRun } from './map-run.ts';
import type { Usage } from './usage.ts';

/** The item or batch of a Map that a machine works on. */
export interface Item {
  readonly index: number;
  readonly value: Json;
  /** The name of the field, when the items are the fields of an object. */
  readonly key?: string | undefined;
  /** The origin of an item of a distributed Map: `STATE_DATA`, `S3://bucket/key`, or `S3://bucket` for a list. */
  readonly source?: string | undefined;
}

/** The part of a machine's progress that the context object shows. */
export interface VisibleVisit {
  readonly state: string;
  /** Milliseconds since 1970 UTC. */
  readonly enteredAt: number;
  /** Undefined in a state that cannot be retried. */
  readonly retryCount: number | undefined;
  readonly token?: string | undefined;
}

/** The value of `$$` and `$states.context`. Spec: Agent 3 §Context object, AWS "Context object" */
export function contextObject(
  execution: Execution,
  visit: VisibleVisit,
  item: Item | undefined,
  usage: Usage | undefined,
  child?: ChildRun,
): JsonObject {
  const own = child && childContext(execution, child);
  return {
    Execution: {
      Id: execution.id,
      Input: execution.input,
      Name: execution.name,
      StartTime: timeOf(execution.startedAt),
      RedriveCount: 0,
      ...(usage && { Usage: { ...usage } }),
      ...execution.context?.Execution,
      ...own?.Execution,
    },
    StateMachine: {
      Id: execution.name,
      Name: execution.name,
      ...execution.context?.StateMachine,
      ...own?.StateMachine,
    },
    State: {
      Name: visit.state,
      EnteredTime: timeOf(visit.enteredAt),
      ...(visit.retryCount !== undefined && { RetryCount: visit.retryCount }),
    },
    ...(item && { Map: { Item: contextItem(item) } }),
    ...(visit.token !== undefined && { Task: { Token: visit.token } }),
  };
}

/** The value of `$$.Map.Item`. */
export function contextItem({ index, value, key, source }: Item): JsonObject {
  return {
    Index: index,
    ...(key !== undefined && { Key: key }),
    Value: value,
    ...(source !== undefined && { Source: source }),
  };
}

function timeOf(moment: number): string {
  return new Date(moment).toISOString();
}

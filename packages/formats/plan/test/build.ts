import type { JsonObject } from '@dramaturg/compiler';

/** Small definitions for tests, in the seed's spelling. */

export function planOf(...states: JsonObject[]): JsonObject {
  return { id: 'plan', title: 'Plan', states };
}

export function state(id: string, ...parts: JsonObject[]): JsonObject {
  return Object.assign({ id, title: id, tasks: [] }, ...parts);
}

export function strict(...tasks: JsonObject[]): JsonObject {
  return { type: 'strict', tasks };
}

export function loose(...tasks: JsonObject[]): JsonObject {
  return { type: 'loose', tasks };
}

export function goal(deliverables: JsonObject[] = [], ...tasks: JsonObject[]): JsonObject {
  return { type: 'goal', tasks, goal: { objective: 'Get there', deliverables } };
}

/** A required task that collects required keys. */
export function task(id: string, ...deliverables: (string | JsonObject)[]): JsonObject {
  return {
    id,
    description: id,
    deliverables: deliverables.map((one) => (typeof one === 'string' ? { key: one } : one)),
  };
}

export function optional(part: JsonObject): JsonObject {
  return { ...part, required: false };
}

export function edges(...transitions: JsonObject[]): JsonObject {
  return { transitions };
}

/** A transition on completion. */
export function to(target: string, priority?: number): JsonObject {
  return { target_state_id: target, ...(priority === undefined ? {} : { priority }) };
}

export function when(
  target: string,
  type: string,
  config: JsonObject = {},
  priority?: number,
): JsonObject {
  return { ...to(target, priority), condition_type: type, condition_config: config };
}

/** A transition on a value, in the seed's spelling. */
export function onValue(
  target: string,
  key: string,
  value: unknown,
  priority?: number,
): JsonObject {
  return when(
    target,
    'deliverable_value',
    { deliverable_key: key, expected_value: value } as JsonObject,
    priority,
  );
}

export function onKnown(target: string, key: string, priority?: number): JsonObject {
  return when(target, 'deliverable_exists', { deliverable_key: key }, priority);
}

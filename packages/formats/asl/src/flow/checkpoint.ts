import type { JsonObject } from '@dramaturg/compiler';
import { parseDuration } from '../data/timestamp.ts';
import type { Checkpoint } from '../definition/index.ts';

/** A save point of a run. `expiresAt` is in milliseconds since 1970 UTC. */
interface SavePoint {
  readonly name: string;
  readonly storage?: string;
  readonly expiresAt?: number;
}

/** @param enteredAt when the state was entered, in milliseconds since 1970 UTC */
export function savePointOf(
  { Name: name, Storage: storage, TTL: ttl }: Checkpoint,
  enteredAt: number,
): SavePoint {
  const lifetimeMs = ttl === undefined ? undefined : parseDuration(ttl);
  return {
    name,
    ...(storage !== undefined && { storage }),
    ...(lifetimeMs !== undefined && { expiresAt: enteredAt + lifetimeMs }),
  };
}

/** The record of a save point, for `ResultPath`. Spec: Agent 2 §Checkpoint State */
export function recordOfSavePoint(state: Checkpoint, enteredAt: number): JsonObject {
  const { name, storage, expiresAt } = savePointOf(state, enteredAt);
  return {
    name,
    createdAt: new Date(enteredAt).toISOString(),
    ...(storage !== undefined && { storage }),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
  };
}

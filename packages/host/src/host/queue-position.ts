import type { Library } from '../definitions/library.ts';
import type { DefinitionVersion, RecordSummary, Store } from '../store/contract.ts';
import { StoreError } from '../store/errors.ts';
import type { QueuePosition } from './contact-queues.ts';
import type { OnError } from './error-reporter.ts';
import { queueStatesOf } from './queue-states.ts';
import type { ActiveInstances } from './active-instances.ts';
import { stateOf } from '../instance/snapshot-parts.ts';

export interface QueuePositionOptions {
  readonly store: Store;
  readonly library: Library;
  readonly activeInstances: ActiveInstances;
  readonly onError: OnError;
}

/**
 * The position of a stored instance in the queue of its contact. Undefined when its record is damaged or its definition cannot be
 * run: other instances do not wait for its repair.
 *
 * @throws StoreError when the store cannot be read now: the instance may hold the contact
 */
export async function queuePositionOf(
  { id, createdAt, status, definition }: RecordSummary,
  { store, library, activeInstances, onError }: QueuePositionOptions,
): Promise<QueuePosition | undefined> {
  try {
    const holds = activeInstances.peek(id)?.stored.holds ?? (await isHolding(id, store));
    const waits = (await queueStates(definition!, library)).has(status);
    return { id, createdAt, holds, waits };
  } catch (error) {
    if (error instanceof StoreError && error.code !== 'store/damaged') throw error;
    onError(error, `reading the instance ${JSON.stringify(id)}`);
    return undefined;
  }
}

async function isHolding(id: string, store: Store): Promise<boolean> {
  const record = await store.read(id);
  return record !== undefined && stateOf(record).holds;
}

async function queueStates(
  definition: DefinitionVersion,
  library: Library,
): Promise<ReadonlySet<string>> {
  return queueStatesOf((await library.lifecycleOf(definition)).chart);
}

import type { Library } from '../definitions/library.ts';
import type { InstanceState } from '../instance/state.ts';
import type { DefinitionVersion, RecordSummary, Store } from '../store/contract.ts';
import type { QueuePosition } from './contact-queues.ts';
import { queueStatesOf } from './queue-states.ts';
import type { ActiveInstances } from './active-instances.ts';

/** The position of an instance in the queue of its contact, as it is stored. */
export async function queuePositionOf(
  { id, createdAt, status, definition }: RecordSummary,
  {
    store,
    library,
    activeInstances,
  }: { store: Store; library: Library; activeInstances: ActiveInstances },
): Promise<QueuePosition> {
  const holds = activeInstances.peek(id)?.stored.holds ?? (await isHolding(id, store));
  const waits = (await queueStates(definition!, library)).has(status);
  return { id, createdAt, holds, waits };
}

async function isHolding(id: string, store: Store): Promise<boolean> {
  const record = await store.read(id);
  return (record?.snapshot as unknown as InstanceState | undefined)?.holds === true;
}

async function queueStates(
  definition: DefinitionVersion,
  library: Library,
): Promise<ReadonlySet<string>> {
  const { lifecycle, chart } = await library.load(definition);
  return queueStatesOf(lifecycle ? (await library.load(lifecycle)).chart : chart);
}

import type { Library } from '../definitions/library.ts';
import type { InstanceState } from '../instance/state.ts';
import type { DefinitionVersion, RecordSummary, Store } from '../store/contract.ts';
import type { Place } from './lines.ts';
import { queueStatesOf } from './queue-states.ts';
import type { Waking } from './waking.ts';

/** Where an instance stands in the line of its contact, as it is stored. */
export async function placeOf(
  { id, createdAt, status, definition }: RecordSummary,
  { store, library, waking }: { store: Store; library: Library; waking: Waking },
): Promise<Place> {
  const holds = waking.peek(id)?.stored.holds ?? (await isHolding(id, store));
  const queues = (await queueStates(definition!, library)).has(status);
  return { id, createdAt, holds, queues };
}

async function isHolding(id: string, store: Store): Promise<boolean> {
  const record = await store.read(id);
  return (record?.snapshot as unknown as InstanceState | undefined)?.holds === true;
}

async function queueStates(
  definition: DefinitionVersion,
  library: Library,
): Promise<ReadonlySet<string>> {
  const { life, chart } = await library.edition(definition);
  return queueStatesOf(life ? (await library.edition(life)).chart : chart);
}

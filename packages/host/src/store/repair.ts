import { findStuck, type StuckInstance, wakeStuck } from '../host/stuck.ts';
import type { DamagedRecord, Store, StoreLocation } from './contract.ts';
import { quoted, StoreError } from './errors.ts';
import type { RepairStep } from './verification.ts';

/**
 * Plans the repair of a store: of the damage that prevents opening it or, if it can be opened, of damaged records and stuck
 * instances. Nothing changes until a step is applied.
 *
 * @param onProgress called from time to time with the number of read records, and of all records
 * @throws `store/damaged` when the store cannot be opened and cannot repair itself; `store/owned`
 *
 * @example
 * ```ts
 * const store = lowdbStore('sound');
 * await (await createHost({ store, definitions: { intake }, ports: understudyPorts() })).stop();
 * const steps = await planRepair(store);
 * for (const { finding, action, apply } of steps) console.log(finding, action, await apply());
 * console.log(steps.length); // → 0
 * ```
 */
export async function planRepair(
  place: StoreLocation,
  onProgress?: (done: number, all: number) => void,
): Promise<readonly RepairStep[]> {
  const own = (await place.repairs?.()) ?? [];
  if (own.length > 0) return own;
  const reader = await place.read();
  try {
    const { damaged } = await reader.verify(onProgress);
    const stuck = await findStuck(reader);
    // Possible steps come first.
    const known = damaged.filter(({ id }) => id !== undefined);
    const unknown = damaged.filter(({ id }) => id === undefined);
    return [
      ...known.map((record) => stepFor(place, record)),
      ...stuck.map((instance) => wakingStep(place, instance)),
      ...unknown.map((record) => stepFor(place, record)),
    ];
  } finally {
    await reader.close();
  }
}

/** The step that deletes a damaged record. Only a person or a backup can restore its content. */
function stepFor(place: StoreLocation, { id, reason, where }: DamagedRecord): RepairStep {
  if (id === undefined) {
    const finding = `${where} is damaged: ${reason}`;
    const action = `Nothing: no record is known by it. "dramaturg restore --skip-damaged" copies everything else into a new store.`;
    const apply = () => Promise.reject(new StoreError('store/damaged', `${finding} ${action}`));
    return { finding, action, apply };
  }
  return {
    finding: `The record ${quoted(id)} is damaged: ${reason} It is in ${where}.`,
    action: 'Deletes the record. To keep it, restore it from a backup first.',
    apply: () => repairing(place, (store) => store.delete(id)),
  };
}

function wakingStep(place: StoreLocation, { id, reason }: StuckInstance): RepairStep {
  return {
    finding: `The instance ${quoted(id)} is stuck: ${reason}`,
    action: 'Wakes the instance: the next host continues it.',
    apply: () => repairing(place, (store) => wakeStuck(store, id)),
  };
}

async function repairing(place: StoreLocation, work: (store: Store) => Promise<unknown>) {
  const store = await place.open('a repair');
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

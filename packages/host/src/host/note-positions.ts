import type { Committed, Store } from '../store/contract.ts';
import { overriding } from '../store/overriding.ts';

/** A store that reports the position of each stored write in its feed. */
export function notePositions(store: Store, note: (position: number) => void): Store {
  const noted = async <Result extends Committed | undefined>(writing: Promise<Result>) => {
    const stored = await writing;
    if (stored?.position !== undefined) note(stored.position);
    return stored;
  };
  return overriding(store, {
    create: (record) => noted(store.create(record)),
    commit: (change) => noted(store.commit(change)),
    acknowledge: (receipt) => noted(store.acknowledge(receipt)),
  });
}

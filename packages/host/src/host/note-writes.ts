import type { Change, Committed, NewRecord, Receipt, Store } from '../store/contract.ts';
import { overriding } from '../store/overriding.ts';

export type NotedWrite = NewRecord | Change | Receipt;

/** A store that reports each stored write. */
export function noteWrites(
  store: Store,
  note: (write: NotedWrite, stored: Committed) => void,
): Store {
  const noted = async <Result extends Committed | undefined>(
    write: NotedWrite,
    writing: Promise<Result>,
  ) => {
    const stored = await writing;
    if (stored) note(write, stored);
    return stored;
  };
  return overriding(store, {
    create: (record) => noted(record, store.create(record)),
    commit: (change) => noted(change, store.commit(change)),
    acknowledge: (receipt) => noted(receipt, store.acknowledge(receipt)),
  });
}

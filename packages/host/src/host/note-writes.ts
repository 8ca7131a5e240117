import type { Change, Committed, NewRecord, Receipt, Store } from '../store/contract.ts';
import type { Origin } from './recent-writes.ts';
import type { Runner } from './runner.ts';
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

/**
 * What events of a write have besides its lines.
 *
 * @param runner of the record, when it is active
 * @returns undefined when it is not known
 */
export function originOf(
  write: NotedWrite,
  runner: Pick<Runner, 'instance'> | undefined,
): Origin | undefined {
  if (runner) {
    const { contact, state } = runner.instance;
    return { contact, ancestors: state.parent?.ancestors };
  }
  if (!('kind' in write) || write.kind !== 'instance' || write.parent !== undefined)
    return undefined;
  return { contact: write.contact };
}

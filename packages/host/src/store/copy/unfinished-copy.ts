import { isRecord } from '@dramaturg/compiler';
import type { Store, StoreReader, StoreRecord } from '../contract.ts';
import { StoreError } from '../errors.ts';

/** The names of a copy's source and target for people, without passwords. */
export interface CopyNames {
  readonly from: string;
  readonly to: string;
}

/** The record of a store until its copy is complete and compared. */
export const copyingId = 'host:copying';

/** Marks an empty store as an unfinished copy. */
export async function markUnfinished(target: Store, names: CopyNames | undefined): Promise<void> {
  const snapshot = names === undefined ? null : { from: names.from, to: names.to };
  await target.create({ id: copyingId, kind: 'host', status: 'copying', createdAt: 0, snapshot });
}

/** @throws StoreError `store/foreign` when the store is an unfinished copy */
export async function requireComplete(store: StoreReader): Promise<void> {
  const marker = await store.read(copyingId);
  if (marker === undefined) return;
  const names = namesIn(marker);
  throw new StoreError(
    'store/foreign',
    names === undefined
      ? 'The copy into this store is not finished, so records are missing. Copy the same store into it again: the copy goes on where it was.'
      : `The copy of ${names.from} into this store is not finished, so records are missing. It goes on where it was with: dramaturg copy ${names.from} ${names.to}`,
  );
}

/** @throws StoreError `store/exists` when the store is an unfinished copy of another store */
export function requireSameSource(marker: StoreRecord, names: CopyNames | undefined): void {
  const begun = namesIn(marker);
  if (begun === undefined || names === undefined || begun.from === names.from) return;
  throw new StoreError(
    'store/exists',
    `The target is an unfinished copy of ${begun.from}, and not of ${names.from}. Nothing was changed. Finish that copy, or name another target.`,
  );
}

function namesIn({ snapshot }: StoreRecord): CopyNames | undefined {
  if (!isRecord(snapshot)) return undefined;
  const { from, to } = snapshot;
  return typeof from === 'string' && typeof to === 'string' ? { from, to } : undefined;
}

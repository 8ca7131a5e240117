import { unknownInstance } from '../errors.ts';
import type { Store, StoreReader } from '../store/contract.ts';
import { StoreError } from '../store/errors.ts';

/** The prefix of the ids of the records that lead from a contact to the copies of its instances. */
export const copyPrefix = 'copy:';

/** The id of the record that leads to a copy. */
export function copyLinkOf(copy: string): string {
  return `${copyPrefix}${copy}`;
}

/**
 * The contact whose data an instance has: its own, or else that of the instance that it was copied from or called by. Undefined
 * for a run that no conversation with a contact has started.
 */
export async function contactOf(store: StoreReader, id: string): Promise<string | undefined> {
  for (let at: string | undefined = id; at !== undefined;) {
    const record = await store.read(at);
    const contact = record?.contact ?? (await store.read(copyLinkOf(at)))?.contact;
    if (contact !== undefined) return contact;
    at = record?.parent;
  }
  return undefined;
}

/**
 * Stores the record that leads from a contact to a copy, before the copy is stored. Without the record, an erase of the contact
 * of the original would not find the copy, which has no contact or another one.
 *
 * @throws HostError `host/unknown-instance` when the original does not exist any more
 */
export async function linkCopy(
  store: Store,
  link: {
    readonly copy: string;
    readonly contact: string;
    readonly original: string;
    readonly createdAt: number;
  },
): Promise<void> {
  const { copy, contact, original, createdAt } = link;
  if (!(await store.read(original))) throw unknownInstance(original);
  const id = copyLinkOf(copy);
  try {
    await store.create({ id, kind: 'copy', contact, status: 'kept', createdAt, snapshot: null });
  } catch (error) {
    // An earlier copy that failed has left the record.
    if (!(error instanceof StoreError && error.code === 'store/exists')) throw error;
  }
}

import { nextTurn } from '@dramaturg/compiler/machine';
import type { RecordFilter, RecordSummary, StoreReader } from '../store/contract.ts';
import { readPages } from '../store/pages.ts';
import { copyPrefix } from './copy-links.ts';

/**
 * The instances of a contact, with the copies of these instances and all descendants.
 *
 * @param contact in its canonical form
 * @returns in the order in which to delete them: an instance comes before the records that lead to it, so that a repeated erase
 *   finds what an interrupted one has left
 */
export async function instancesOf(store: StoreReader, contact: string): Promise<RecordSummary[]> {
  const roots = await listAll(store, { kind: 'instance', contact });
  const links = await listAll(store, { kind: 'copy', contact });
  const copies = await Promise.all(links.map(({ id }) => copyBehind(store, id)));
  return withDescendants(store, [...roots, ...copies.flatMap((copy) => copy ?? [])]);
}

/** Instances with all their descendants, in the order in which to delete them. */
export async function withDescendants(
  store: StoreReader,
  instances: readonly RecordSummary[],
): Promise<RecordSummary[]> {
  const found = new Map<string, RecordSummary>();
  const seen = new Set<string>();
  const visit = async (instance: RecordSummary) => {
    if (seen.has(instance.id)) return;
    seen.add(instance.id);
    if (seen.size % instancesPerSlice === 0) await nextTurn();
    for (const child of await listAll(store, { kind: 'instance', parent: instance.id }))
      await visit(child);
    found.set(instance.id, instance);
  };
  for (const instance of instances) await visit(instance);
  return [...found.values()];
}

/** How many instances are searched for children before other work gets its turn. */
const instancesPerSlice = 64;

/** All records that match a filter. */
export async function listAll(store: StoreReader, filter: RecordFilter): Promise<RecordSummary[]> {
  const found: RecordSummary[] = [];
  for await (const page of readPages((request) => store.list(filter, request))) found.push(...page);
  return found;
}

/** @returns undefined when there is no instance with this id */
export async function summaryOf(
  store: StoreReader,
  id: string,
): Promise<RecordSummary | undefined> {
  const record = await store.read(id);
  if (record?.kind !== 'instance') return undefined;
  const { snapshot: _, parts: __, outbox: ___, ...summary } = record;
  return summary;
}

/** The instance that a link leads to. Undefined when the copy was never completed, also if another instance has its id. */
async function copyBehind(store: StoreReader, link: string): Promise<RecordSummary | undefined> {
  const record = await store.read(link.slice(copyPrefix.length));
  const isCopy = record?.contact === undefined || Object(record.snapshot).copyOf !== undefined;
  return record && isCopy ? summaryOf(store, record.id) : undefined;
}

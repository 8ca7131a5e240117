import { unknownInstance } from '../errors.ts';
import { readJournal } from '../instance/journal-lines.ts';
import type { StoreReader } from '../store/contract.ts';
import { beginning, cursorAt } from './event-cursor.ts';
import { isInstanceId } from './record-ids.ts';

/**
 * The cursor after the last stored event of an instance.
 *
 * @throws HostError `host/unknown-instance`
 */
export async function journalCursor(
  store: Pick<StoreReader, 'read' | 'journal'>,
  id: string,
): Promise<string> {
  const record = isInstanceId(id) ? await store.read(id) : undefined;
  if (record?.kind !== 'instance') throw unknownInstance(id);
  const { journalLength } = record;
  const [last] = await readJournal(store, id, { from: Math.max(0, journalLength - 1), limit: 1 });
  const { at } = (last ?? {}) as { readonly at?: number };
  return at === undefined ? beginning : cursorAt(journalLength, at);
}

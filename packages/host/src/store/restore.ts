import { readPages } from './pages.ts';
import type {
  DamagedRecord,
  NewRecord,
  RecordSummary,
  Store,
  StoreLocation,
  StoreReader,
} from './contract.ts';
import { StoreError } from './errors.ts';

export interface RestoreOptions {
  /** Leaves damaged records out. By default nothing is restored from a store with damage. */
  readonly skipDamaged?: boolean;
  /** Called now and then with the number of records that were verified or copied, and of all records. */
  readonly onProgress?: (step: 'verify' | 'copy' | 'check', done: number, all: number) => void;
}

/** What was copied, and what was left out. */
export interface Restored {
  readonly records: number;
  /** Lines of journals and transcripts. */
  readonly lines: number;
  readonly skipped: readonly DamagedRecord[];
}

/** The record that a store has until it is restored completely. */
const restoringId = 'host:restoring';

/** Records that are copied together, so that they share a flush. */
const batchLength = 16;
const linesPerWrite = 200;

/**
 * Copies a store, such as a backup, into a new one, which may be of another kind. Everything is verified before it is copied
 * and after it was written. Records keep everything except the number of their revision. A restore that was interrupted
 * leaves a store that no host opens: remove it, and restore again.
 *
 * @param to a place where no store is yet
 * @throws StoreError `store/exists` when the target has records; `store/damaged` when the source is damaged; as
 *   `StoreLocation.read` and `StoreLocation.open`
 */
export async function restore(
  from: StoreLocation,
  to: StoreLocation,
  { skipDamaged = false, onProgress = () => {} }: RestoreOptions = {},
): Promise<Restored> {
  const source = await from.read();
  try {
    const { damaged, records } = await source.verify((...done) => onProgress('verify', ...done));
    if (damaged.length > 0 && !skipDamaged) throw damagedSource(damaged);
    const target = await to.open('a restore');
    try {
      await requireEmpty(target);
      const marker = { id: restoringId, kind: 'host', status: 'restoring', snapshot: null };
      await target.create({ ...marker, createdAt: 0 });
      const skipped = new Set(damaged.map(({ id }) => id));
      const copied = await copyAll(source, target, skipped, (done) =>
        onProgress('copy', done, records),
      );
      await target.delete(restoringId);
      const found = await target.verify((...done) => onProgress('check', ...done));
      const isComplete = found.records === copied.records && found.lines === copied.lines;
      if (!isComplete || found.damaged.length > 0) throw incompleteCopy();
      return { ...copied, skipped: damaged };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** @throws StoreError `store/foreign` when the store was not restored completely */
export async function requireComplete(store: StoreReader): Promise<void> {
  if ((await store.read(restoringId)) === undefined) return;
  throw new StoreError(
    'store/foreign',
    'The restore of this store was interrupted, so records are missing. Remove the store, and restore it again.',
  );
}

async function copyAll(
  source: StoreReader,
  target: Store,
  skipped: ReadonlySet<string | undefined>,
  onProgress: (done: number) => void,
): Promise<Omit<Restored, 'skipped'>> {
  let [records, lines] = [0, 0];
  for await (const listed of readPages((request) => source.list({}, request))) {
    const page = listed.filter(({ id }) => !skipped.has(id));
    for (let at = 0; at < page.length; at += batchLength) {
      const batch = page.slice(at, at + batchLength);
      const beginnings = await Promise.all(batch.map((each) => beginningOf(source, each)));
      // The calls are in the order of the list, which the target keeps for records of the same time.
      const writes = beginnings.map((each) => copyRecord(source, target, each));
      for (const count of await Promise.all(writes)) lines += count;
      records += batch.length;
      onProgress(records);
    }
  }
  return { records, lines };
}

interface Beginning {
  readonly summary: RecordSummary;
  readonly record: NewRecord;
}

/** The record with its first lines. */
async function beginningOf(source: StoreReader, { id }: RecordSummary): Promise<Beginning> {
  const found = await source.read(id);
  if (found === undefined) throw incompleteCopy();
  const { snapshot, parts, outbox, ...summary } = found;
  const {
    revision: _,
    updatedAt: __,
    journalLength: ___,
    transcriptLength: ____,
    ...kept
  } = summary;
  return {
    summary,
    record: { ...kept, snapshot, parts, outbox, ...(await linesFrom(source, id, 0)) },
  };
}

/** @returns the number of lines */
async function copyRecord(
  source: StoreReader,
  target: Store,
  { summary, record }: Beginning,
): Promise<number> {
  const { id, updatedAt, journalLength, transcriptLength } = summary;
  let { revision } = await target.create(record);
  for (
    let at = linesPerWrite;
    at < Math.max(journalLength, transcriptLength);
    at += linesPerWrite
  ) {
    const lines = await linesFrom(source, id, at);
    ({ revision } = await target.commit({ id, expectedRevision: revision, ...lines }));
  }
  if (updatedAt !== record.createdAt)
    await target.commit({ id, expectedRevision: revision, updatedAt });
  return journalLength + transcriptLength;
}

async function linesFrom(source: StoreReader, id: string, from: number) {
  const range = { from, limit: linesPerWrite };
  const [journal, transcript] = await Promise.all([
    source.journal(id, range),
    source.transcript(id, range),
  ]);
  return { journal, transcript };
}

async function requireEmpty(target: Store): Promise<void> {
  const { items } = await target.list({}, { limit: 1 });
  if (items.length === 0 && (await target.damaged()).length === 0) return;
  throw new StoreError(
    'store/exists',
    'The target of the restore is a store with records. Nothing was changed. Name a place where no store is.',
  );
}

function damagedSource(damaged: readonly DamagedRecord[]): StoreError {
  const [{ reason, where }] = damaged as [DamagedRecord];
  return new StoreError(
    'store/damaged',
    `The source is damaged in ${damaged.length} places, and nothing was restored. The first: ${reason} (${where})`,
  );
}

function incompleteCopy(): StoreError {
  return new StoreError(
    'store/failed',
    'The restored store differs from its source. Remove it, and restore again.',
  );
}

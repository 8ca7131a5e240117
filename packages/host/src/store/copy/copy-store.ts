import type { Json } from '@dramaturg/compiler';
import type {
  DamagedRecord,
  RecordSummary,
  Store,
  StoreLocation,
  StoreReader,
} from '../contract.ts';
import { StoreError, unknownRecord } from '../errors.ts';
import { readPages } from '../pages.ts';
import { type Comparison, compareStores, DifferentRecordError } from './compare-stores.ts';
import {
  copyingId,
  type CopyNames,
  markUnfinished,
  requireComplete,
  requireSameSource,
} from './unfinished-copy.ts';

export interface CopyOptions {
  /** Leaves damaged records out. By default nothing is copied from a store with damage. */
  readonly skipDamaged?: boolean;
  /** The names of the two stores in messages, as in the command `dramaturg copy`. */
  readonly names?: CopyNames;
  /** Copies data that belongs to the store but is outside it. Called when all records are copied, before hosts may open the copy. */
  readonly finish?: () => Promise<void>;
  /** Called from time to time with the number of records that were verified, copied or compared, and of all records. */
  readonly onProgress?: (
    step: 'verify' | 'copy' | 'compare' | 'check',
    done: number,
    all: number,
  ) => void;
}

/** The common content of the source and its copy, and the records that were left out. */
export interface Copied extends Comparison {
  readonly skipped: readonly DamagedRecord[];
  /** Whether the copy was complete before, so that nothing was written. */
  readonly wasComplete: boolean;
}

/** The owner's name of a store during a copy. */
const copyOwner = 'dramaturg copy';

/** How many records are copied together, with one flush. */
const batchLength = 32;

/**
 * Copies a store, or a backup of one, into a new store, which may be of another kind. No host may run on either store. The source
 * is only read. Everything is verified before it is copied, and the content of all records is compared afterwards.
 *
 * An interrupted copy leaves a store that no host opens; the same call completes it. A complete copy is only compared.
 *
 * @param to a location without a store, or an unfinished copy
 * @throws StoreError `store/exists` when the target has other records; `store/damaged` when the source is damaged;
 *   `store/foreign` when the source is an unfinished copy itself; as `StoreLocation.read` and `StoreLocation.open`
 *
 * @example
 * ```ts
 * const from = lowdbStore('from');
 * const host = await createHost({ store: from, definitions: { intake }, ports: understudyPorts() });
 * await host.start('intake', { contact: 'ada' });
 * await host.stop();
 * const { records } = await copyStore(from, sqliteStore('to.db'));
 * console.log(records > 0); // → true
 * ```
 */
export async function copyStore(
  from: StoreLocation,
  to: StoreLocation,
  { skipDamaged = false, names, finish, onProgress = () => {} }: CopyOptions = {},
): Promise<Copied> {
  const { damaged, records } = await readWith(from, async (source) => {
    await requireComplete(source);
    return source.verify((...done) => onProgress('verify', ...done));
  });
  if (damaged.length > 0 && !skipDamaged) throw damagedSource(damaged);
  const skipped = new Set(damaged.map(({ id }) => id));
  const isSelected = (id: string) => !skipped.has(id);
  const compare = (target: Store) =>
    // Opened again, to notice a host that has run on the source in the meantime.
    readWith(from, (source) =>
      compareStores(source, target, isSelected, (done) => onProgress('compare', done, records)),
    );
  const target = await to.open(copyOwner);
  try {
    const marker = await target.read(copyingId);
    if (marker === undefined && !(await isEmpty(target))) {
      const found = await compareComplete(target, records, compare);
      return { ...found, skipped: damaged, wasComplete: true };
    }
    if (marker === undefined) await markUnfinished(target, names);
    else requireSameSource(marker, names);
    const isBegun = marker !== undefined;
    await readWith(from, async (source) => {
      const onCopied = (done: number) => onProgress('copy', done, records);
      await copyAll(source, target, { isSelected, isBegun, onCopied });
      if (isBegun) await removeOthers(source, target, isSelected);
    });
    const compared = await compareNew(target, compare);
    const found = await target.verify((...done) => onProgress('check', ...done));
    // The mark of the unfinished copy is a record too.
    if (found.damaged.length > 0 || found.records !== compared.records + 1) throw incompleteCopy();
    await target.analyze?.();
    await finish?.();
    await target.delete(copyingId);
    return { ...compared, skipped: damaged, wasComplete: false };
  } finally {
    await target.close();
  }
}

async function readWith<Value>(
  place: StoreLocation,
  read: (reader: StoreReader) => Promise<Value>,
): Promise<Value> {
  const reader = await place.read();
  try {
    return await read(reader);
  } finally {
    await reader.close();
  }
}

interface Selection {
  readonly isSelected: (id: string) => boolean;
  /** Whether an earlier run has copied some of the records. */
  readonly isBegun: boolean;
  readonly onCopied: (records: number) => void;
}

async function copyAll(
  source: StoreReader,
  target: Store,
  { isSelected, isBegun, onCopied }: Selection,
): Promise<void> {
  let done = 0;
  for await (const listed of readPages((request) => source.list({}, request))) {
    const page = listed.filter(({ id }) => isSelected(id));
    for (let at = 0; at < page.length; at += batchLength) {
      const batch = page.slice(at, at + batchLength);
      await Promise.all(batch.map((each) => copyRecord(source, target, each, isBegun)));
      done += batch.length;
      onCopied(done);
    }
  }
}

/** Removes records that an earlier run has copied and that the source no longer has. */
async function removeOthers(
  source: StoreReader,
  target: Store,
  isSelected: (id: string) => boolean,
): Promise<void> {
  const isInSource = async (id: string) =>
    isSelected(id) && (await source.journal(id, { from: 0, limit: 1 }).catch(undefinedIfUnknown));
  for await (const page of readPages((request) => target.list({}, request))) {
    for (const { id } of page)
      if (id !== copyingId && !(await isInSource(id))) await target.delete(id);
  }
}

function undefinedIfUnknown(error: unknown): undefined {
  if (!(error instanceof StoreError && error.code === 'store/unknown')) throw error;
}

type Compare = (target: Store) => Promise<Comparison>;

/** Compares a new copy. A record that differs is removed, so that the next run copies it again. */
async function compareNew(target: Store, compare: Compare): Promise<Comparison> {
  try {
    return await compare(target);
  } catch (error) {
    if (error instanceof DifferentRecordError) await target.delete(error.id);
    throw error;
  }
}

/** @throws StoreError `store/exists` when the target is not a complete copy */
async function compareComplete(
  target: Store,
  records: number,
  compare: Compare,
): Promise<Comparison> {
  const found = await target.verify();
  if (found.damaged.length > 0 || found.records !== records) throw otherTarget();
  try {
    return await compare(target);
  } catch (error) {
    throw error instanceof DifferentRecordError ? otherTarget() : error;
  }
}

async function isEmpty(target: Store): Promise<boolean> {
  const { items } = await target.list({}, { limit: 1 });
  return items.length === 0 && (await target.damaged()).length === 0;
}

function otherTarget(): StoreError {
  return new StoreError(
    'store/exists',
    'The target is a store with records, and not a copy of the source. Nothing was changed. Name a place where no store is.',
  );
}

function damagedSource(damaged: readonly DamagedRecord[]): StoreError {
  const [{ reason, where }] = damaged as [DamagedRecord];
  return new StoreError(
    'store/damaged',
    `The source is damaged in ${damaged.length} places, and nothing was copied. The first: ${reason} (${where})`,
  );
}

function incompleteCopy(): StoreError {
  return new StoreError(
    'store/failed',
    'The copy differs from its source, and no host opens it. Remove it, and copy again to another place.',
  );
}

/** How many lines of each kind are read and written together, unless the record has few revisions. */
const linesPerWrite = 200;
/** The limit of a store for one read of lines. */
const linesPerRead = 10_000;

/**
 * The writes of a record: its creation and the commits that append its other lines end at the revision of the source. So the
 * revision and the numbers of lines show which writes are already stored.
 */
interface Plan {
  /** The number of writes, the creation included. */
  readonly writes: number;
  /** Lines of each kind in one write. */
  readonly lines: number;
}

function planOf({ revision, journalLength, transcriptLength }: RecordSummary): Plan {
  const longest = Math.max(journalLength, transcriptLength);
  const lines = Math.max(linesPerWrite, Math.ceil(longest / revision));
  return { writes: Math.max(1, Math.ceil(longest / lines)), lines };
}

/**
 * Copies a record with its lines. The process may be killed after every write.
 *
 * @param begun whether an earlier run may have written some of it, or all of it
 */
async function copyRecord(
  source: StoreReader,
  target: Store,
  summary: RecordSummary,
  begun: boolean,
): Promise<void> {
  const { id, revision } = summary;
  const plan = planOf(summary);
  const first = revision - plan.writes + 1;
  let written = begun ? await countWritten(target, summary, plan) : 0;
  if (written === 0) {
    const record = await source.read(id);
    if (record === undefined) throw unknownRecord(id);
    const { journalLength: _, transcriptLength: __, ...fields } = record;
    const lines = await readLinesOf(source, id, 0, plan.lines);
    await target.create({ ...fields, ...lines, revision: first });
    written = 1;
  }
  for (; written < plan.writes; written += 1) {
    const lines = await readLinesOf(source, id, written * plan.lines, plan.lines);
    await target.commit({ id, expectedRevision: first + written - 1, ...lines });
  }
}

/** Counts the stored writes of a record. A record that differs from the source is removed. */
async function countWritten(target: Store, summary: RecordSummary, plan: Plan): Promise<number> {
  const found = await target.read(summary.id);
  if (found === undefined) return 0;
  const written = found.revision - (summary.revision - plan.writes);
  const expected = (length: number) => Math.min(length, written * plan.lines);
  const isOfThisCopy =
    written >= 1 &&
    written <= plan.writes &&
    found.updatedAt === summary.updatedAt &&
    found.journalLength === expected(summary.journalLength) &&
    found.transcriptLength === expected(summary.transcriptLength);
  if (isOfThisCopy) return written;
  await target.delete(summary.id);
  return 0;
}

async function readLinesOf(source: StoreReader, id: string, from: number, count: number) {
  const journal: Json[] = [];
  const transcript: Json[] = [];
  for (let done = 0; done < count; done += linesPerRead) {
    const range = { from: from + done, limit: Math.min(linesPerRead, count - done) };
    for (const line of await source.journal(id, range)) journal.push(line);
    for (const line of await source.transcript(id, range)) transcript.push(line);
  }
  return { journal, transcript };
}

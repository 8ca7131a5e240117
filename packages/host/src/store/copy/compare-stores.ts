import type { StoreReader, StoreRecord } from '../contract.ts';
import { quoted, StoreError } from '../errors.ts';
import { readLines, readPages } from '../pages.ts';

/** The common content of two stores. */
export interface Comparison {
  readonly records: number;
  /** Lines of journals and transcripts. */
  readonly lines: number;
  /** SHA-256 over the sum of the SHA-256 of each record, independent of their order; 64 hexadecimal digits. */
  readonly checksum: string;
}

/** Two stores differ in a record. */
export class DifferentRecordError extends StoreError {
  readonly id: string;

  constructor(id: string) {
    super(
      'store/failed',
      `The record ${quoted(id)} differs between the source and its copy. Copy again: what differs is copied anew. If nothing else uses the source, check its device.`,
    );
    this.id = id;
  }
}

/** How many records are read together. */
const batchLength = 16;

/**
 * Reads all records of a store with all their lines, and compares them with those of another store.
 *
 * @param isSelected which records of the source to compare
 * @throws DifferentRecordError when a record is missing in the other store, or differs
 */
export async function compareStores(
  source: StoreReader,
  target: StoreReader,
  isSelected: (id: string) => boolean,
  onProgress: (records: number) => void,
): Promise<Comparison> {
  let [records, lines, sum] = [0, 0, 0n];
  for await (const listed of readPages((request) => source.list({}, request))) {
    const page = listed.filter(({ id }) => isSelected(id));
    for (let at = 0; at < page.length; at += batchLength) {
      const batch = page.slice(at, at + batchLength);
      const digests = await Promise.all(batch.map(({ id }) => commonDigest(source, target, id)));
      // Stores may list records of the same time in different orders.
      for (const digest of digests) sum = BigInt.asUintN(256, sum + BigInt(`0x${digest}`));
      for (const { journalLength, transcriptLength } of batch)
        lines += journalLength + transcriptLength;
      records += batch.length;
      onProgress(records);
    }
  }
  return { records, lines, checksum: await sha256(sum.toString(16)) };
}

/** @throws DifferentRecordError */
async function commonDigest(source: StoreReader, target: StoreReader, id: string): Promise<string> {
  const [one, other] = await Promise.all([digestOf(source, id), digestOf(target, id)]);
  if (one === undefined || one !== other) throw new DifferentRecordError(id);
  return one;
}

/** @returns undefined when the store does not have the record */
async function digestOf(store: StoreReader, id: string): Promise<string | undefined> {
  const record = await store.read(id);
  if (record === undefined) return undefined;
  let digest = await sha256(textOf(record));
  for (const kind of ['journal', 'transcript'] as const) {
    for await (const lines of readLines((range) => store[kind](id, range)))
      digest = await sha256(`${digest} ${kind} ${JSON.stringify(lines)}`);
  }
  return digest;
}

function attentionOf({ attention = {} }: StoreRecord): readonly (string | number | null)[] {
  const { queue, since, owner, actedAt } = attention;
  return [queue ?? null, since ?? null, owner ?? null, actedAt ?? null];
}

/** The content of a record. The stores may name its fields in any order, and its parts have no order. */
function textOf(record: StoreRecord): string {
  const { definition, timers, parts, outbox } = record;
  return JSON.stringify([
    record.id,
    record.kind,
    record.contact ?? null,
    record.parent ?? null,
    definition === undefined ? null : [definition.name, definition.version],
    record.createdAt,
    record.updatedAt,
    record.status,
    record.ended,
    record.revision,
    record.questions ?? 0,
    attentionOf(record),
    record.journalLength,
    record.transcriptLength,
    timers.map(({ key, at }) => [key, at]),
    record.snapshot,
    parts
      .map(({ key, value }) => [key, value] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
    outbox.map(({ id, body }) => [id, body]),
  ]);
}

const encoder = new TextEncoder();

async function sha256(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', encoder.encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

import { join } from 'node:path';
import type { Json } from '@dramaturg/compiler';
import type { NewRecord, StoreRecord } from '../contract.ts';
import { DamageError } from '../damage-error.ts';
import type { FileSystem } from '../disk/file-system.ts';
import { firstSummary, MutableRecord, type RecordState, toStoreRecord } from '../record-state.ts';
import { createWrite, type LineTexts } from '../write.ts';
import { CheckedFile, readThrough, writeThrough } from './checked-file.ts';

export const recordFileName = 'record.json';
export const lineKinds = ['journal', 'transcript'] as const;

/** Lines of a record in memory. */
export type Lines = { readonly [Kind in keyof LineTexts]: string[] };

export const noLines = (): Lines => ({ journal: [], transcript: [] });

/** Lines of a record in a file of their own, which is never changed. */
export interface Chunk {
  readonly file: string;
  readonly sum: string;
  /** The numbers of lines. */
  readonly journal: number;
  readonly transcript: number;
}

/** A record with its lines: the older ones in chunks, and the newest ones in `record.json` itself. */
export interface StoredRecord {
  /** The number of the last write that it includes. */
  readonly lastWrite: number;
  /** The number of the write that created the record. */
  readonly firstWrite: number;
  readonly chunks: readonly Chunk[];
  readonly lines: Lines;
  readonly state: RecordState;
}

/** The fields of the file, in the order in which they are most useful to people. */
type RecordFields = Omit<StoreRecord, 'journalLength' | 'transcriptLength'> &
  Pick<StoredRecord, 'lastWrite' | 'firstWrite' | 'chunks'> &
  ChunkFields;

interface ChunkFields {
  readonly journal: readonly Json[];
  readonly transcript: readonly Json[];
}

/**
 * Reads `record.json`.
 *
 * @returns `isEdited` when a person has changed the file and removed its line `sum`; undefined when there is no file
 * @throws `DamageError`
 */
export async function readRecord(
  folder: string,
  id: string,
  files: FileSystem,
): Promise<(StoredRecord & { readonly isEdited: boolean }) | undefined> {
  const file = fileIn<RecordFields>(folder, recordFileName, files);
  const fields = await readThrough(file);
  if (fields === null) return undefined;
  try {
    const { lastWrite, firstWrite, chunks, ...rest } = fields;
    if (rest.id !== id) throw new DamageError('Its file record.json is of another record.');
    if (![lastWrite, firstWrite].every((number) => Number.isSafeInteger(number)))
      throw new DamageError('Its file record.json is not a record.');
    const { journal, transcript, ...write } = createWrite(rest);
    const lines = { journal: [...journal], transcript: [...transcript] };
    const { snapshot, parts, outbox } = MutableRecord.created({ ...write, ...lines });
    const summary = {
      ...firstSummary({ ...write, ...lines }),
      journalLength: countIn(chunks, 'journal') + lines.journal.length,
      transcriptLength: countIn(chunks, 'transcript') + lines.transcript.length,
    };
    const state = { summary, snapshot, parts, outbox };
    return { lastWrite, firstWrite, chunks, lines, state, isEdited: file.sum === undefined };
  } catch (cause) {
    if (cause instanceof DamageError) throw cause;
    throw new DamageError('Its file record.json is not a record.', { cause });
  }
}

export async function writeRecord(
  folder: string,
  { lastWrite, firstWrite, chunks, lines, state }: StoredRecord,
  files: FileSystem,
  draft: () => string,
): Promise<void> {
  const { journalLength: _, transcriptLength: __, ...record } = toStoreRecord(state);
  const { snapshot, parts, ...fields } = record;
  await writeThrough(fileIn<RecordFields>(folder, recordFileName, files, draft), {
    ...fields,
    snapshot,
    parts,
    ...parsed(lines),
    chunks,
    lastWrite,
    firstWrite,
  });
}

/** Writes a chunk. The device has it and its name when the promise fulfils. */
export async function writeChunk(
  folder: string,
  name: string,
  lines: Lines,
  files: FileSystem,
  draft: () => string,
): Promise<Chunk> {
  const file = fileIn<ChunkFields>(folder, name, files, draft);
  await writeThrough(file, parsed(lines));
  const { journal, transcript } = lines;
  return {
    file: name,
    sum: file.sum!,
    journal: journal.length,
    transcript: transcript.length,
  };
}

/** @throws `DamageError` */
export async function readChunk(folder: string, chunk: Chunk, files: FileSystem): Promise<Lines> {
  const file = fileIn<ChunkFields>(folder, chunk.file, files);
  const found = await readThrough(file);
  if (found === null) throw new DamageError(`Its file ${chunk.file} is missing.`);
  if (file.sum !== undefined && file.sum !== chunk.sum)
    throw new DamageError(`Its file ${chunk.file} was replaced by an older one.`);
  if (lineKinds.some((kind) => found[kind]?.length !== chunk[kind]))
    throw new DamageError(`Its file ${chunk.file} has other lines.`);
  const texts = (lines: readonly Json[]) => lines.map((line) => JSON.stringify(line));
  return { journal: texts(found.journal), transcript: texts(found.transcript) };
}

/**
 * Reads a record with all of its lines, to store it as a new one.
 *
 * @throws `DamageError`
 */
export async function readWhole(folder: string, id: string, files: FileSystem): Promise<NewRecord> {
  const found = await readRecord(folder, id, files);
  if (found === undefined) throw new DamageError('Its file record.json is missing.');
  const all: Lines[] = [];
  for (const chunk of found.chunks) all.push(await readChunk(folder, chunk, files));
  all.push(found.lines);
  const journal = all.flatMap((lines) => parsed(lines).journal);
  const transcript = all.flatMap((lines) => parsed(lines).transcript);
  return { ...toStoreRecord(found.state), journal, transcript };
}

function countIn(chunks: readonly Chunk[], kind: keyof LineTexts): number {
  return chunks.reduce((sum, chunk) => sum + chunk[kind], 0);
}

function parsed({ journal, transcript }: Lines): ChunkFields {
  const values = (lines: readonly string[]) => lines.map((line): Json => JSON.parse(line));
  return { journal: values(journal), transcript: values(transcript) };
}

/** @param draft needed for writing */
function fileIn<Content extends object>(
  folder: string,
  name: string,
  files: FileSystem,
  draft: () => string = () => '',
): CheckedFile<Content> {
  return new CheckedFile<Content>(join(folder, name), files, draft);
}

import { type Adapter, Low } from 'lowdb';
import { basename } from 'node:path';
import { crc32 } from 'node:zlib';
import { isRecord } from '@dramaturg/compiler';
import { DamageError } from '../damage-error.ts';
import { type FileSystem, readIfExists } from '../disk/file-system.ts';
import { replaceUnflushed } from '../disk/replace-file.ts';
import type { Scheduler } from '../disk/system.ts';
import { StoreError, systemCodeOf } from '../errors.ts';
import { type Pace, pacer } from '../slices.ts';

/** Converts a value to the fields of a JSON object, and back. */
export interface Format<Content> {
  /** Formats the object as it is now, as `JSON.stringify` does with an indentation, in parts. */
  readonly toParts: (content: Content) => Iterable<string>;
  /** @throws any error when the fields are not a valid value */
  readonly fromFields: (fields: object) => Content;
  /**
   * Reads the bytes of a file that are as they were written, in parts.
   *
   * @returns undefined when the file is laid out in another way
   */
  readonly fromBytes?: (bytes: Buffer, pace: Pace) => Promise<Content | undefined>;
}

/** Reads a file with lowdb. */
export async function readThrough<Content>(
  file: CheckedFile<Content>,
): Promise<Content | undefined> {
  const low = new Low<Content | null>(file, null);
  await low.read();
  return low.data ?? undefined;
}

/** Replaces a file with lowdb. The caller flushes the folder. */
export async function writeThrough<Content>(
  file: CheckedFile<Content>,
  content: Content,
): Promise<void> {
  await new Low<Content | null>(file, content).write();
}

/**
 * A file of formatted JSON with its checksum, as an adapter of lowdb. It replaces lowdb's own `JSONFile`, which does not flush, so
 * that a power cut could leave an empty file. A file without the line `sum` was changed by a person, and is accepted.
 */
export class CheckedFile<Content> implements Adapter<Content | null> {
  readonly #path: string;
  readonly #files: FileSystem;
  readonly #format: Format<Content>;
  readonly #draft: string;
  readonly #scheduler: Pick<Scheduler, 'yield'>;
  /** The number of bytes that were read or written. */
  bytes = 0;

  /**
   * @param draft a new path on the same device, for writing
   * @param scheduler gives other work a turn while a large content is read or written
   */
  constructor(
    path: string,
    files: FileSystem,
    format: Format<Content>,
    draft = '',
    scheduler: Pick<Scheduler, 'yield'> = { yield: async () => undefined },
  ) {
    this.#path = path;
    this.#files = files;
    this.#format = format;
    this.#draft = draft;
    this.#scheduler = scheduler;
  }

  /**
   * @returns null when the file does not exist
   * @throws `DamageError`
   */
  async read(): Promise<Content | null> {
    const name = `Its file ${basename(this.#path)}`;
    let bytes: Buffer | undefined;
    try {
      bytes = await readIfExists(this.#path, this.#files);
    } catch (cause) {
      if (systemCodeOf(cause) !== 'EISDIR') throw cause;
      throw new DamageError(`${name} is a folder.`, { cause });
    }
    if (bytes === undefined) return null;
    this.bytes = bytes.length;
    try {
      const pace = pacer(this.#scheduler);
      let actual = 0;
      for (let at = headLength; at < bytes.length; at += pieceBytes) {
        const piece = bytes.subarray(at, at + pieceBytes);
        actual = crc32(piece, actual);
        await pace(piece.length);
      }
      const isSound = bytes.toString('latin1', 0, headLength) === headOf(actual);
      const read = isSound ? await this.#format.fromBytes?.(bytes, pace) : undefined;
      if (read !== undefined) return read;
      const content: unknown = JSON.parse(bytes.toString());
      if (!isRecord(content)) throw new DamageError(`${name} has other content.`);
      const { sum, ...fields } = content;
      if (sum !== undefined && !isSound)
        throw new DamageError(
          `${name} differs from what was written: the checksum does not match.`,
        );
      return this.#format.fromFields(fields);
    } catch (cause) {
      if (cause instanceof DamageError) throw cause;
      if (cause instanceof StoreError && cause.code === 'store/foreign') throw cause;
      throw new DamageError(`${name} has other content.`, { cause });
    }
  }

  async write(content: Content | null): Promise<void> {
    if (content === null) return;
    const pace = pacer(this.#scheduler);
    const parts: Buffer[] = [];
    let [sum, size] = [0, headLength];
    for (const part of withLineEnd(this.#format.toParts(content))) {
      // Everything after the brace and the line break.
      const bytes = Buffer.from(parts.length === 0 ? part.slice(2) : part);
      sum = crc32(bytes, sum);
      size += bytes.length;
      parts.push(bytes);
      await pace(bytes.length);
    }
    parts.unshift(Buffer.from(headOf(sum)));
    async function* inTurns() {
      for (const part of parts) {
        yield part;
        await pace(part.length);
      }
    }
    await replaceUnflushed(this.#files, this.#draft, this.#path, inTurns());
    this.bytes = size;
  }
}

function* withLineEnd(parts: Iterable<string>): Generator<string> {
  yield* parts;
  yield '\n';
}

function headOf(sum: number): string {
  return `{\n  "sum": "${sum.toString(16).padStart(8, '0')}",\n`;
}

const headLength = headOf(0).length;
/** How many bytes are summed together. */
const pieceBytes = 1 << 20;

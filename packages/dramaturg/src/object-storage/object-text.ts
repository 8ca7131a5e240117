import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { ObjectStorageError } from './object-storage-error.ts';

/** The most bytes of an object, before and after decompression. */
const objectBytesMax = 64 * 1024 * 1024;

/** The first bytes of a compressed file, by its format. */
const magic = {
  gzip: [0x1f, 0x8b],
  zstd: [0x28, 0xb5, 0x2f, 0xfd],
  parquet: [0x50, 0x41, 0x52, 0x31],
};

/**
 * The text of an object. Objects compressed with gzip or Zstandard are decompressed, regardless of their names.
 *
 * @param name for messages: `s3://bucket/key`
 * @throws ObjectStorageError when it is too large, or is not text
 */
export async function objectText(body: Uint8Array | string, name: string): Promise<string> {
  requireSize(body.length, name);
  if (typeof body === 'string') return body;
  const bytes = await decompressed(body, name);
  if (isLike(bytes, magic.parquet)) {
    throw new ObjectStorageError(
      'InvalidArgument',
      `"${name}" is a Parquet file, which cannot be read here. Convert it to CSV or JSON Lines, or answer the read with an agent that gives { "Body": [rows as JSON] }.`,
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ObjectStorageError('InvalidArgument', `"${name}" is not a text in UTF-8.`, { cause });
  }
}

async function decompressed(body: Uint8Array, name: string): Promise<Uint8Array> {
  const format = isLike(body, magic.gzip) ? 'gzip' : isLike(body, magic.zstd) ? 'zstd' : undefined;
  if (format === undefined) return body;
  const decompress = format === 'gzip' ? promisify(zlib.gunzip) : promisify(zlib.zstdDecompress);
  try {
    return await decompress(body, { maxOutputLength: objectBytesMax });
  } catch (cause) {
    if ((cause as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(name);
    const because = cause instanceof Error ? cause.message : String(cause);
    throw new ObjectStorageError(
      'InvalidArgument',
      `"${name}" cannot be decompressed: ${because}.`,
      { cause },
    );
  }
}

function isLike(bytes: Uint8Array, first: readonly number[]): boolean {
  return first.every((byte, index) => bytes[index] === byte);
}

/** @throws ObjectStorageError when an object has more than `objectBytesMax` */
export function requireSize(bytes: number, name: string): void {
  if (bytes > objectBytesMax) throw tooLarge(name);
}

function tooLarge(name: string): ObjectStorageError {
  return new ObjectStorageError(
    'InvalidArgument',
    `"${name}" has more than 64 MiB. Split it, and read the parts with listObjectsV2 and "LOAD_AND_FLATTEN".`,
  );
}

import { isRecord, type Json } from '@dramaturg/compiler';
import { StatesError } from '../states-error.ts';
import { parseJson } from './json.ts';

/** The files that a manifest lists. */
export interface Manifest {
  readonly files: readonly { readonly bucket: string; readonly key: string }[];
  /** The columns of the files, if the manifest names them. */
  readonly headers?: readonly string[];
}

/**
 * The files of an S3 inventory: tables in CSV whose columns are in the manifest. Spec: Amazon S3 "Inventory manifest"
 *
 * @param bucket the bucket of the manifest itself
 * @throws StatesError States.ItemReaderFailed
 */
export function readInventoryManifest(content: Json, bucket: string): Manifest {
  const manifest = typeof content === 'string' ? parseJson(content, 'The manifest') : content;
  const { files, fileFormat, fileSchema, destinationBucket } = isRecord(manifest) ? manifest : {};
  if (!Array.isArray(files) || typeof fileSchema !== 'string') {
    throw failed('The manifest has no "files" and "fileSchema": it is not one of an S3 inventory.');
  }
  if (fileFormat !== undefined && fileFormat !== 'CSV') {
    throw failed(
      `The files of the S3 inventory have the format ${JSON.stringify(fileFormat)}. Only "CSV" can be read: choose it for the inventory.`,
    );
  }
  const named =
    typeof destinationBucket === 'string' ? destinationBucket.split(':').at(-1) : undefined;
  return {
    headers: fileSchema.split(',').map((name) => name.trim()),
    files: files.map((file) => {
      const key = isRecord(file) ? file['key'] : undefined;
      if (typeof key === 'string') return { bucket: named ?? bucket, key };
      throw failed('A file in the manifest of the S3 inventory has no "key".');
    }),
  };
}

/**
 * The files of a query that Athena unloaded: a line with the address of each. Spec: Athena "UNLOAD", data manifest
 *
 * @throws StatesError States.ItemReaderFailed
 */
export function readAthenaManifest(text: string): Manifest {
  const lines = text.split(/\r?\n/).map((line) => line.trim().replace(/^"(.*)"$/, '$1'));
  return {
    files: lines
      .filter((line) => line !== '')
      .map((line) => {
        const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(line) ?? [];
        if (bucket !== undefined && key !== undefined) return { bucket, key };
        throw failed(
          `The manifest of Athena has the line ${JSON.stringify(line.slice(0, 200))}. "s3://bucket/key" is expected.`,
        );
      }),
  };
}

function failed(cause: string): StatesError {
  return new StatesError('States.ItemReaderFailed', cause);
}

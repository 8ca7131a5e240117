import { randomUUID } from 'node:crypto';
import { lstat, opendir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { makeFolders, nodeSystem, replaceFile } from '@dramaturg/host/store';
import {
  type ObjectPage,
  type ObjectStorage,
  ObjectStorageError,
  requireSize,
  type StoredObject,
} from './object-storage.ts';

/** The most objects in an answer of `listObjectsV2`; the others are on its next page. */
const pageSize = 100_000;
/** No folder is searched deeper: S3 has keys of 1,024 bytes. */
const deepest = 512;

/**
 * An object storage in a folder: the object `key` of a bucket is the file `<folder>/<bucket>/<key>`. Neither a key nor a
 * symbolic link leads out of the folder. A bucket is a folder that exists.
 *
 * @throws ObjectStorageError from each of its functions
 *
 * @example
 * ```ts
 * await mkdir('objects/orders', { recursive: true });
 * const storage = folderStorage('objects');
 * const { signal } = new AbortController();
 * await storage.putObject(
 *   { Bucket: 'orders', Key: 'march.json', Body: '[40, 60]' },
 *   { abortSignal: signal },
 * );
 * const { Body } = await storage.getObject(
 *   { Bucket: 'orders', Key: 'march.json' },
 *   { abortSignal: signal },
 * );
 * console.log(JSON.parse(String(Body))); // → [ 40, 60 ]
 * ```
 */
export function folderStorage(folder: string): ObjectStorage {
  const { files } = nodeSystem();
  /** A crash or a power cut leaves either no object or the whole object. */
  const store = async (file: string, text: string) => {
    const parent = dirname(file);
    await makeFolders(parent, files);
    await replaceFile(files, join(parent, `${temporaryPrefix}${randomUUID()}`), file, [text]);
  };
  return {
    async getObject({ Bucket: bucket, Key: key, VersionId: version }) {
      const name = addressOf(bucket, key);
      const file = pathOf(await bucketIn(folder, bucket), key, name);
      if (version !== undefined) {
        throw new ObjectStorageError(
          'NoSuchVersion',
          `"${name}" is a file, which has no versions.`,
        );
      }
      const found = await within(folder, file).catch(missing);
      const { size, isFile } = found ? await sizeOf(found) : { size: 0, isFile: false };
      if (found === undefined || !isFile) {
        throw new ObjectStorageError('NoSuchKey', `There is no object "${name}": no file ${file}.`);
      }
      requireSize(size, name);
      return { Body: await readFile(found).catch(failing(`"${name}" cannot be read`)) };
    },

    async listObjectsV2({ Bucket: bucket, Prefix: prefix = '', ContinuationToken: after }) {
      const root = await bucketIn(folder, bucket);
      const objects: StoredObject[] = [];
      for await (const object of filesIn(folder, root, '', prefix)) objects.push(object);
      return pageOf(
        objects.toSorted((one, other) => inOrder(one.Key!, other.Key!)),
        after,
      );
    },

    async putObject({ Bucket: bucket, Key: key, Body: body }) {
      const name = addressOf(bucket, key);
      const root = await bucketIn(folder, bucket);
      const file = pathOf(root, key, name);
      await within(folder, await existingParent(file));
      await store(file, body).catch(failing(`"${name}" cannot be written`));
      return {};
    },
  };
}

function addressOf(bucket: string, key: string): string {
  return `s3://${bucket}/${key}`;
}

async function bucketIn(folder: string, bucket: string): Promise<string> {
  const path = join(folder, bucket);
  const isName = /^[\w-][\w.-]*$/.test(bucket);
  if (isName && (await stat(path).catch(missing))?.isDirectory()) return path;
  throw new ObjectStorageError(
    'NoSuchBucket',
    `There is no bucket "${bucket}". Make a folder for it: ${join(folder, isName ? bucket : 'name')}.`,
  );
}

/** @throws ObjectStorageError for a key that cannot be a file of the bucket */
function pathOf(root: string, key: string, name: string): string {
  const parts = key.split('/');
  const isPath = parts.every((part) => !['', '.', '..'].includes(part) && !/[\\\0]/.test(part));
  if (isPath && !isTemporary(parts.at(-1)!)) return join(root, ...parts);
  throw new ObjectStorageError(
    'InvalidArgument',
    `"${name}" cannot be a file: the parts of its key must not be empty, "." or "..", or have a backslash.`,
  );
}

/**
 * The real path of a file, which is below the folder.
 *
 * @throws ObjectStorageError when a symbolic link leads elsewhere
 */
async function within(folder: string, file: string): Promise<string> {
  const [root, real] = [await realpath(folder), await realpath(file)];
  if (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)) return real;
  throw new ObjectStorageError('InvalidArgument', `${file} leads out of the folder ${folder}.`);
}

async function existingParent(file: string): Promise<string> {
  let parent = dirname(file);
  while ((await lstat(parent).catch(missing)) === undefined) parent = dirname(parent);
  return parent;
}

async function sizeOf(file: string): Promise<{ size: number; isFile: boolean }> {
  const found = await stat(file);
  return { size: found.size, isFile: found.isFile() };
}

/** The files below a folder of a bucket whose keys have the prefix. Links are followed to files of the folder only. */
async function* filesIn(
  folder: string,
  at: string,
  before: string,
  prefix: string,
  depth = 0,
): AsyncGenerator<StoredObject> {
  if (depth > deepest) return;
  for await (const entry of await opendir(at)) {
    const [file, key] = [join(at, entry.name), before + entry.name];
    const mayHave = key.startsWith(prefix) || prefix.startsWith(`${key}/`);
    if (!mayHave || isTemporary(entry.name)) continue;
    if (entry.isDirectory()) yield* filesIn(folder, file, `${key}/`, prefix, depth + 1);
    else if (key.startsWith(prefix)) {
      const real = await within(folder, file).catch(() => undefined);
      const found = real === undefined ? undefined : await stat(real).catch(missing);
      if (!found?.isFile()) continue;
      const { size, mtime } = found;
      const tag = `${mtime.getTime().toString(16)}-${size.toString(16)}`;
      yield {
        Key: key,
        ETag: `"${tag}"`,
        LastModified: mtime,
        Size: size,
        StorageClass: 'STANDARD',
      };
    }
  }
}

function pageOf(objects: readonly StoredObject[], after: string | undefined): ObjectPage {
  const left =
    after === undefined ? objects : objects.filter(({ Key }) => inOrder(Key!, after) > 0);
  const page = left.slice(0, pageSize);
  const last = page.at(-1)?.Key;
  return left.length > page.length && last !== undefined
    ? { Contents: page, IsTruncated: true, NextContinuationToken: last }
    : { Contents: page, IsTruncated: false };
}

/** S3 orders keys by their bytes. */
function inOrder(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

const temporaryPrefix = '.dramaturg-';

function isTemporary(name: string): boolean {
  return name.startsWith(temporaryPrefix);
}

function missing(error: unknown): undefined {
  const { code } = error as { code?: unknown };
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  throw failure('The folder cannot be read', error);
}

function failing(what: string): (error: unknown) => never {
  return (error) => {
    throw failure(what, error);
  };
}

function failure(what: string, cause: unknown): Error {
  if (cause instanceof ObjectStorageError) return cause;
  const because = cause instanceof Error ? cause.message : String(cause);
  return new ObjectStorageError('S3Error', `${what}: ${because}.`, { cause });
}

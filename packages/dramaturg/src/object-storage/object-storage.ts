import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import {
  DramaturgError,
  isRecord,
  type Json,
  type JsonObject,
  type PortInput,
} from '@dramaturg/compiler';

/**
 * Objects in buckets, with the requests and answers of S3: `getObject` and its siblings are the commands of the AWS SDK.
 * Readers and writers of distributed Maps call it. A repeated call has the same effect as one.
 *
 * A missing object or bucket is an error whose `name` is `NoSuchKey` or `NoSuchBucket`, as in the SDK.
 */
export interface ObjectStorage {
  readonly getObject: (
    request: GetObjectRequest,
    options: RequestOptions,
  ) => Promise<{ readonly Body: Uint8Array | string }>;
  readonly listObjectsV2: (
    request: ListObjectsRequest,
    options: RequestOptions,
  ) => Promise<ObjectPage>;
  readonly putObject: (
    request: PutObjectRequest,
    options: RequestOptions,
  ) => Promise<{ readonly ETag?: string | undefined }>;
}

/** A request to read an object. A definition can give further fields of S3. */
export interface GetObjectRequest {
  readonly Bucket: string;
  readonly Key: string;
  readonly VersionId?: string;
}

export interface ListObjectsRequest {
  readonly Bucket: string;
  readonly Prefix?: string;
  /** The `NextContinuationToken` of the page before. */
  readonly ContinuationToken?: string;
}

export interface PutObjectRequest {
  readonly Bucket: string;
  readonly Key: string;
  readonly Body: string;
  readonly ContentType?: string;
}

export interface RequestOptions {
  /** Aborted when the workflow no longer waits. */
  readonly abortSignal: AbortSignal;
}

/** Objects in the order of their keys. */
export interface ObjectPage {
  readonly Contents?: readonly StoredObject[] | undefined;
  readonly IsTruncated?: boolean | undefined;
  readonly NextContinuationToken?: string | undefined;
}

export interface StoredObject {
  readonly Key?: string | undefined;
  readonly ETag?: string | undefined;
  readonly LastModified?: Date | undefined;
  /** Bytes. */
  readonly Size?: number | undefined;
  readonly StorageClass?: string | undefined;
}

type Name = 'NoSuchKey' | 'NoSuchBucket' | 'NoSuchVersion' | 'InvalidArgument' | 'S3Error';

/**
 * A request that an object storage cannot serve. Its `name` is the error of S3.
 *
 * @example
 * ```ts
 * try {
 *   await folderStorage('objects').getObject(
 *     { Bucket: 'nowhere', Key: 'march.json' },
 *     { abortSignal: AbortSignal.timeout(1_000) },
 *   );
 * } catch (error) {
 *   if (error instanceof ObjectStorageError) console.log(error.name, error.code); // → NoSuchBucket storage/failed
 * }
 * ```
 */
export class ObjectStorageError extends DramaturgError<'storage/failed'> {
  override readonly name: Name;

  constructor(name: Name, message: string, options?: { readonly cause?: unknown }) {
    super('storage/failed', message, options);
    this.name = name;
  }
}

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
async function objectText(body: Uint8Array | string, name: string): Promise<string> {
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

type Call = PortInput<'runAgent'>;

const actionOfResource =
  /^arn:aws[\w-]*:states:[^:]*:[^:]*:(aws-sdk:)?s3:(getObject|listObjectsV2|putObject)$/;

/** Whether a name is the action of S3 that a reader or writer of a Map calls. */
export function isMapStorage(agent: string): boolean {
  return actionOfResource.test(agent) && !agent.includes(':aws-sdk:');
}

/**
 * A port that answers `getObject`, `listObjectsV2` and `putObject` of S3 from an object storage: for readers and writers of
 * distributed Maps, and for tasks that call the SDK. Other calls go to `runAgent`.
 *
 * @example
 * ```ts
 * await mkdir('buckets/orders', { recursive: true });
 * await writeFile('buckets/orders/march.json', '[40, 60]');
 * const { machine } = compile(`
 * StartAt: Read
 * States:
 *   Read:
 *     Type: Task
 *     Resource: arn:aws:states:::aws-sdk:s3:getObject
 *     Parameters: { Bucket: orders, Key: march.json }
 *     OutputPath: $.Body
 *     End: true`);
 * const runAgent = withObjectStorage(folderStorage('buckets'), async () => ({ result: null }));
 * console.log((await toPromise(createActor(providePorts(machine!, { runAgent })).start())).output); // → [40, 60]
 * ```
 */
export function withObjectStorage<Use extends { readonly signal: AbortSignal }, Answer>(
  storage: ObjectStorage,
  runAgent: (call: Call, use: Use) => Answer,
): (call: Call, use: Use) => Answer | Promise<{ result: Json }> {
  return (call, use) => {
    const [, sdk, action] = actionOfResource.exec(call.agent) ?? [];
    if (action === undefined) return runAgent(call, use);
    const perform = actions[action as keyof typeof actions];
    const fields = action === 'listObjectsV2' ? ['Bucket'] : ['Bucket', 'Key'];
    return answered(async () =>
      perform(storage, requestOf(call.input, fields), use.signal, sdk !== undefined),
    );
  };
}

type Request = JsonObject & { readonly Bucket: string; readonly Key: string };

type Action = (
  storage: ObjectStorage,
  request: Request,
  abortSignal: AbortSignal,
  isSdk: boolean,
) => Promise<Json>;

const actions = {
  async getObject(storage, request, abortSignal) {
    const { Body: body } = await storage.getObject(request, { abortSignal });
    return { Body: await objectText(body, `s3://${request.Bucket}/${request.Key}`) };
  },
  async listObjectsV2(storage, request, abortSignal, isSdk) {
    const page = await storage.listObjectsV2(request, { abortSignal });
    const { Contents: contents = [], IsTruncated: more, NextContinuationToken: token } = page;
    return withoutUndefined({
      Contents: contents.map(({ Key, ETag, LastModified: modified, Size, StorageClass }) =>
        withoutUndefined({
          Key,
          ETag,
          // The items of a Map have seconds, and the SDK's answer in a task has a string.
          LastModified: isSdk ? modified?.toISOString() : modified && seconds(modified),
          Size,
          StorageClass,
        }),
      ),
      IsTruncated: more ?? false,
      NextContinuationToken: token,
    });
  },
  async putObject(storage, request, abortSignal) {
    const { Body: body = '' } = request;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const { ETag } = await storage.putObject({ ...request, Body: text }, { abortSignal });
    return withoutUndefined({ ETag });
  },
} satisfies Record<string, Action>;

function requestOf(input: Json, fields: readonly string[]): Request {
  const request = isRecord(input) ? input : {};
  const missing = fields.find((field) => typeof request[field] !== 'string');
  if (missing === undefined) return request as Request;
  throw new ObjectStorageError('InvalidArgument', `The request has no "${missing}".`);
}

async function answered(perform: () => Promise<Json>): Promise<{ result: Json }> {
  try {
    return { result: await perform() };
  } catch (error) {
    throw named(error);
  }
}

/** Gives an error the name that a catcher knows: `S3.NoSuchKeyException`. */
function named(thrown: unknown): Error {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const known = ['NoSuchKey', 'NoSuchBucket'].includes(error.name) ? error.name : 'S3';
  return Object.assign(new Error(error.message, { cause: error }), {
    error: `S3.${known}Exception`,
  });
}

function withoutUndefined(fields: Readonly<Record<string, unknown>>): JsonObject {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as JsonObject;
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}

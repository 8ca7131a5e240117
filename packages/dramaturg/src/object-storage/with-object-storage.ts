import { isRecord, type Json, type JsonObject, type PortInput } from '@dramaturg/compiler';
import { type ObjectStorage, ObjectStorageError, objectText } from './object-storage.ts';

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

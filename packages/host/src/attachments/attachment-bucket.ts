import { HostError } from '../errors.ts';
import type { AttachmentPlace } from './attachment-files.ts';

/** The requests of S3 that a place for files needs: `new S3({ … })` of `@aws-sdk/client-s3`, or another client with its methods. */
export interface BucketClient {
  readonly putObject: (request: ObjectName & { readonly Body: Uint8Array }) => Promise<unknown>;
  readonly getObject: (request: ObjectName) => Promise<{
    readonly Body?: { readonly transformToByteArray: () => Promise<Uint8Array> } | undefined;
  }>;
  readonly listObjectsV2: (request: {
    readonly Bucket: string;
    readonly Prefix: string;
    readonly ContinuationToken: string | undefined;
  }) => Promise<{
    readonly Contents?: readonly { readonly Key?: string | undefined }[] | undefined;
    readonly NextContinuationToken?: string | undefined;
  }>;
  readonly deleteObject: (request: ObjectName) => Promise<unknown>;
  readonly getBucketVersioning: (request: {
    readonly Bucket: string;
  }) => Promise<{ readonly Status?: string | undefined }>;
}

interface ObjectName {
  readonly Bucket: string;
  readonly Key: string;
}

/**
 * A bucket of S3, or of a service with its API, for the files that people send. It must not have versions, because an erase would
 * leave them: with versions, files are neither stored nor deleted, with HostError `host/cannot-erase`.
 *
 * @param prefix of all names, such as `production/`
 * @example
 * ```ts
 * // In your program: const client = new S3({ region: 'eu-central-1' });
 * const objects = new Map<string, Uint8Array>();
 * const client: Parameters<typeof attachmentBucket>[0] = {
 *   putObject: async ({ Key, Body }) => objects.set(Key, Body),
 *   getObject: async () => ({}),
 *   listObjectsV2: async () => ({ Contents: [...objects.keys()].map((Key) => ({ Key })) }),
 *   deleteObject: async ({ Key }) => objects.delete(Key),
 *   getBucketVersioning: async () => ({}),
 * };
 * const place = attachmentBucket(client, 'files', 'production/');
 * await place.write('ada/1', new TextEncoder().encode('Hello'));
 * console.log(await place.list('ada/')); // → [ 'ada/1' ]
 * ```
 */
export function attachmentBucket(
  client: BucketClient,
  bucket: string,
  prefix = '',
): AttachmentPlace {
  const objectOf = (name: string) => ({ Bucket: bucket, Key: prefix + name });
  const requireNoVersions = async () => {
    // A service without versions need not have the request.
    const answer = client.getBucketVersioning({ Bucket: bucket });
    const { Status: status } = await answer.catch(unless('NotImplemented', { Status: undefined }));
    if (status === undefined) return;
    throw new HostError(
      'host/cannot-erase',
      `The bucket ${JSON.stringify(bucket)} has versions, which an erase would leave. Use a bucket that never had versioning for the files that people send.`,
    );
  };
  return {
    write: async (name, bytes) => {
      await requireNoVersions();
      await client.putObject({ ...objectOf(name), Body: bytes });
    },
    read: async (name) => {
      const object = await client
        .getObject(objectOf(name))
        .catch(unless('NoSuchKey', { Body: undefined }));
      return object.Body?.transformToByteArray();
    },
    list: async (start) => {
      const names: string[] = [];
      let next: string | undefined;
      do {
        const page = await client.listObjectsV2({
          Bucket: bucket,
          Prefix: prefix + start,
          ContinuationToken: next,
        });
        for (const { Key: key } of page.Contents ?? [])
          if (key !== undefined) names.push(key.slice(prefix.length));
        next = page.NextContinuationToken;
      } while (next !== undefined);
      return names;
    },
    delete: async (name) => {
      await requireNoVersions();
      await client.deleteObject(objectOf(name));
    },
  };
}

function unless<T>(name: string, instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Error && error.name === name) return instead;
    throw error;
  };
}

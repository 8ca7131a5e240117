import { DramaturgError } from '@dramaturg/compiler';

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

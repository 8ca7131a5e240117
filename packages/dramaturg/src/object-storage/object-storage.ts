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

/** The requests may have more fields of S3, as the definition says. */
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

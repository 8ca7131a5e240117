import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { Json } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { folderStorage, type ObjectStorage, withObjectStorage } from '../src/ports.ts';

const abortSignal = new AbortController().signal;

function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'dramaturg-objects-'));
  mkdirSync(join(folder, 'b'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** Calls an action of S3, as a Map or a task does. */
async function call(storage: ObjectStorage, action: string, input: Json): Promise<Json> {
  const port = withObjectStorage(storage, ({ agent }) => ({ result: `agent ${agent}` }));
  const agent = `arn:aws:states:::${action}`;
  const { result } = await port({ key: 'k', agent, input }, { signal: abortSignal });
  return result;
}

const get = (folder: string, Key: string, Bucket = 'b') =>
  call(folderStorage(folder), 's3:getObject', { Bucket, Key });
const put = (folder: string, Key: string, Body: string) =>
  call(folderStorage(folder), 's3:putObject', { Bucket: 'b', Key, Body });

test('an object is a file of its bucket', async () => {
  const folder = folderWith({ 'b/in/x y.csv': 'a,b' });
  expect(await get(folder, 'in/x y.csv')).toEqual({ Body: 'a,b' });
});

test('other agents are asked as before', async () => {
  const storage = folderStorage(folderWith({}));
  expect(await call(storage, 'lambda:invoke', {})).toBe('agent arn:aws:states:::lambda:invoke');
  expect(await call(storage, 's3:deleteObject', {})).toBe('agent arn:aws:states:::s3:deleteObject');
});

test.for([
  'arn:aws-cn:states:::s3:getObject',
  'arn:aws-us-gov:states:::s3:getObject',
  'arn:aws:states:eu-west-1:123456789012:aws-sdk:s3:getObject',
])('it answers for %s', async (agent) => {
  const port = withObjectStorage(folderStorage(folderWith({ 'b/k': 'text' })), () => {
    throw new Error('It was asked.');
  });
  const input = { Bucket: 'b', Key: 'k' };
  expect(await port({ key: 'k', agent, input }, { signal: abortSignal })).toEqual({
    result: { Body: 'text' },
  });
});

test('compressed objects are read as their texts, and byte order marks are dropped', async () => {
  const text = '\ufeffa,b';
  const folder = folderWith({
    'b/1.csv.gz': gzipSync(text),
    'b/2.csv.zst': zstdCompressSync(text),
    'b/3.csv': text,
  });
  for (const key of ['1.csv.gz', '2.csv.zst', '3.csv'])
    expect(await get(folder, key)).toEqual({ Body: 'a,b' });
});

describe('what cannot be read', () => {
  const folder = folderWith({
    'b/in/a': 'a',
    'b/binary': Uint8Array.of(0xff, 0xfe, 0),
    'b/rows.parquet': Buffer.from('PAR1rest'),
    'b/broken.gz': gzipSync('abc').subarray(0, 15),
    'b/bomb.gz': gzipSync(Buffer.alloc(65 * 1024 * 1024)),
    'b/large': Buffer.alloc(65 * 1024 * 1024),
    secret: 'secret',
  });
  const outside = folderWith({ 'b/a': 'outside' });
  symlinkSync(join(outside, 'b/a'), join(folder, 'b/link'));
  symlinkSync(outside, join(folder, 'b/elsewhere'));
  symlinkSync(outside, join(folder, 'away'));

  test.for<[string, string, string, RegExp]>([
    [
      'a missing object',
      'b',
      'nothing',
      /^S3\.NoSuchKeyException: There is no object "s3:\/\/b\/nothing"/,
    ],
    ['a folder', 'b', 'in', /^S3\.NoSuchKeyException: /],
    ['a file below a file', 'b', 'in/a/b', /^S3\.NoSuchKeyException: /],
    ['a missing bucket', 'nobody', 'a', /^S3\.NoSuchBucketException: .*Make a folder for it: /],
    ['a file as a bucket', 'secret', 'a', /^S3\.NoSuchBucketException: /],
    ['a bucket above', '..', 'a', /^S3\.NoSuchBucketException: /],
    ['a bucket with a slash', 'b/in', 'a', /^S3\.NoSuchBucketException: /],
    ['a key that leads up', 'b', '../secret', /cannot be a file/],
    ['an absolute key', 'b', '/etc/passwd', /cannot be a file/],
    ['a key with a backslash', 'b', String.raw`in\a`, /cannot be a file/],
    ['a key with a NUL', 'b', 'a\0', /cannot be a file/],
    ['a key too long for a file', 'b', 'k'.repeat(300), /ENAMETOOLONG/],
    ['a link to a file elsewhere', 'b', 'link', /leads out of the folder/],
    ['a link to a folder elsewhere', 'b', 'elsewhere/b/a', /leads out of the folder/],
    ['a bucket that is a link elsewhere', 'away', 'b/a', /leads out of the folder/],
    ['bytes that are not a text', 'b', 'binary', /is not a text in UTF-8/],
    ['a Parquet file', 'b', 'rows.parquet', /is a Parquet file.* Convert it to CSV/],
    ['a broken archive', 'b', 'broken.gz', /cannot be decompressed: unexpected end of file/],
    ['an archive that is too large unpacked', 'b', 'bomb.gz', /has more than 64 MiB/],
    ['an object that is too large', 'b', 'large', /has more than 64 MiB/],
  ])('%s', async ([, bucket, key, error]) => {
    await expect(get(folder, key, bucket).catch(named)).resolves.toMatch(error);
  });

  test('a version, which a file does not have', async () => {
    const input = { Bucket: 'b', Key: 'in/a', VersionId: '1' };
    const reading = call(folderStorage(folder), 's3:getObject', input);
    await expect(reading.catch(named)).resolves.toMatch(/^S3\.S3Exception: .*has no versions/);
  });

  test('links that lead elsewhere are in no list', async () => {
    const storage = folderStorage(folder);
    const { Contents: objects } = await storage.listObjectsV2({ Bucket: 'b' }, { abortSignal });
    const keys = objects!.map(({ Key }) => Key);
    expect(keys).toEqual(['binary', 'bomb.gz', 'broken.gz', 'in/a', 'large', 'rows.parquet']);
  });
});

function named(error: Error & { readonly error?: string }): string {
  return `${error.error}: ${error.message}`;
}

test('a request without its fields is refused', async () => {
  const storage = folderStorage(folderWith({}));
  const outcomes = [
    call(storage, 'aws-sdk:s3:getObject', { Bucket: 'b' }),
    call(storage, 'aws-sdk:s3:listObjectsV2', 'b'),
  ].map(async (reading) => reading.catch(named));
  expect(await Promise.all(outcomes)).toEqual([
    'S3.S3Exception: The request has no "Key".',
    'S3.S3Exception: The request has no "Bucket".',
  ]);
});

test('a list has the objects with a prefix in the order of their keys', async () => {
  const folder = folderWith({
    'b/in/b': 'bb',
    'b/in/a': 'a',
    'b/in-2/c': 'c',
    'b/Z': 'z',
    'b/é': 'e',
  });
  const storage = folderStorage(folder);
  const keysOf = async (Prefix?: string) => {
    const request = { Bucket: 'b', ...(Prefix !== undefined && { Prefix }) };
    const { Contents: objects } = await storage.listObjectsV2(request, { abortSignal });
    return objects!.map(({ Key }) => Key);
  };
  expect(await keysOf()).toEqual(['Z', 'in-2/c', 'in/a', 'in/b', 'é']);
  expect(await keysOf('in')).toEqual(['in-2/c', 'in/a', 'in/b']);
  expect(await keysOf('in/')).toEqual(['in/a', 'in/b']);
  expect(await keysOf('in/b')).toEqual(['in/b']);
  expect(await keysOf('nothing')).toEqual([]);
  const listed = await call(storage, 's3:listObjectsV2', { Bucket: 'b', Prefix: 'in/b' });
  expect(listed).toEqual({
    Contents: [
      {
        Key: 'in/b',
        ETag: expect.stringMatching(/^"[\da-f-]+"$/) as string,
        LastModified: expect.closeTo(Date.now() / 1000, -2) as number,
        Size: 2,
        StorageClass: 'STANDARD',
      },
    ],
    IsTruncated: false,
  });
});

test('an object is written with the folders of its key, and again in its place', async () => {
  const folder = folderWith({});
  expect(await put(folder, 'out/run/a.json', 'one')).toEqual({});
  await put(folder, 'out/run/a.json', 'two');
  expect(readFileSync(join(folder, 'b/out/run/a.json'), 'utf8')).toBe('two');
  expect(readdirSync(join(folder, 'b/out/run'))).toEqual(['a.json']);
});

test('nothing is written outside of the folder, or where a file is in the way', async () => {
  const folder = folderWith({ 'b/file': 'x' });
  const outside = folderWith({});
  symlinkSync(outside, join(folder, 'b/elsewhere'));
  const failures = [
    ['../a', /cannot be a file/],
    ['elsewhere/a', /leads out of the folder/],
    ['elsewhere/new/a', /leads out of the folder/],
    ['file/a', /cannot be written: .*(EEXIST|ENOTDIR)/],
  ] as const;
  for (const [key, error] of failures) {
    // oxlint-disable-next-line no-await-in-loop -- One after another, to name the one that fails.
    await expect(put(folder, key, 'x').catch(named)).resolves.toMatch(error);
  }
  expect(readdirSync(outside)).toEqual(['b']);
});

test('a client of the AWS SDK is an object storage in a few lines', async () => {
  // The shapes of the SDK's commands and answers; the project does not depend on the SDK.
  class GetObjectCommand {
    readonly input: { readonly Bucket: string; readonly Key: string };
    constructor(input: { readonly Bucket: string; readonly Key: string }) {
      this.input = input;
    }
  }
  const s3 = {
    send: async ({ input }: GetObjectCommand) => {
      if (input.Key === 'none')
        throw Object.assign(new Error('The specified key does not exist.'), { name: 'NoSuchKey' });
      const bytes = new TextEncoder().encode(`${input.Bucket}/${input.Key}`);
      return { Body: { transformToByteArray: async () => bytes } };
    },
  };
  const storage: ObjectStorage = {
    getObject: async (input) => {
      const { Body: body } = await s3.send(new GetObjectCommand(input));
      return { Body: await body.transformToByteArray() };
    },
    listObjectsV2: async () => ({
      Contents: [{ Key: 'k', LastModified: new Date(1_668_699_881_900), Size: 1 }],
      IsTruncated: true,
      NextContinuationToken: 't',
    }),
    putObject: async () => ({ ETag: '"e"' }),
  };
  expect(await call(storage, 's3:getObject', { Bucket: 'b', Key: 'k' })).toEqual({ Body: 'b/k' });
  await expect(
    call(storage, 's3:getObject', { Bucket: 'b', Key: 'none' }).catch(named),
  ).resolves.toBe('S3.NoSuchKeyException: The specified key does not exist.');
  const page = { Contents: [{ Key: 'k', LastModified: 1_668_699_881, Size: 1 }] };
  expect(await call(storage, 's3:listObjectsV2', { Bucket: 'b' })).toEqual({
    ...page,
    IsTruncated: true,
    NextContinuationToken: 't',
  });
  expect(await call(storage, 'aws-sdk:s3:listObjectsV2', { Bucket: 'b' })).toMatchObject({
    Contents: [{ LastModified: '2022-11-17T15:44:41.900Z' }],
  });
  expect(await call(storage, 's3:putObject', { Bucket: 'b', Key: 'k', Body: 'x' })).toEqual({
    ETag: '"e"',
  });
});

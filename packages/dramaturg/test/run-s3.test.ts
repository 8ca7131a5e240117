import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dramaturg, examples } from './command.ts';

const folder = mkdtempSync(join(tmpdir(), 'dramaturg-run-s3-'));
const buckets = join(folder, 'buckets');
mkdirSync(join(buckets, 'lists'), { recursive: true });
writeFileSync(join(buckets, 'lists', 'orders.csv'), 'id,total\na,10\nb,20\n');
const workflow = join(folder, 'orders.asl.json');
writeFileSync(
  workflow,
  JSON.stringify({
    StartAt: 'Orders',
    States: {
      Orders: {
        Type: 'Map',
        ItemReader: {
          Resource: 'arn:aws:states:::s3:getObject',
          ReaderConfig: { InputType: 'CSV', CSVHeaderLocation: 'FIRST_ROW' },
          Parameters: { 'Bucket.$': '$.bucket', Key: 'orders.csv' },
        },
        ItemProcessor: {
          ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
          StartAt: 'Keep',
          States: { Keep: { Type: 'Pass', End: true } },
        },
        End: true,
      },
    },
  }),
);

const run = (...more: string[]) =>
  dramaturg(['run', workflow, '--input', '{"bucket": "lists"}', ...more]);

test('a Map reads its items from the folder of --s3', async () => {
  const { stdout, code } = await run('--s3', buckets, '--json');
  expect(JSON.parse(stdout.trim().split('\n').at(-1)!)).toMatchObject({
    status: 'succeeded',
    output: [
      { id: 'a', total: '10' },
      { id: 'b', total: '20' },
    ],
  });
  expect(code).toBe(0);
});

test('a reader is nothing that check complains about', async () => {
  const { stdout } = await dramaturg(['check', workflow, '--verbose']);
  expect(stdout).toContain('no errors, no warnings');
});

test('a dry run does not play S3: it names the option that is missing', async () => {
  const { stdout, code } = await run();
  expect(stdout).toContain(
    'failed in Orders, line 1: States.ItemReaderFailed: There is no object storage for "arn:aws:states:::s3:getObject". Give a folder with --s3 <folder>',
  );
  expect(code).toBe(4);
});

test('a bucket that is missing fails the Map and says which folder to make', async () => {
  const { stdout, code } = await run('--s3', buckets, '--input', '{"bucket": "nobody"}');
  expect(stdout).toContain(
    `S3.NoSuchBucketException: There is no bucket "nobody". Make a folder for it: ${join(buckets, 'nobody')}.`,
  );
  expect(code).toBe(4);
});

test('a folder that is missing is refused before anything runs', async () => {
  const { stdout, stderr, code } = await run('--s3', join(folder, 'nobody'));
  expect(stderr).toContain('There is no folder');
  expect(stdout).toBe('');
  expect(code).toBe(2);
});

test('a conversation has no use for the folder', async () => {
  const plan = join(examples, 'customer-intake.plan.json');
  const { stderr, code } = await dramaturg(['run', plan, '--s3', buckets]);
  expect(stderr).toContain('Only Maps of workflows read from S3');
  expect(code).toBe(2);
});

import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { planRepair } from '../../src/store/repair.ts';
import { linesInFeed } from '@dramaturg/testing';
import { temporaryFolder } from './temporary-folder.ts';

/**
 * Creates the store of a killed process. Record `a` has 1 in its file and 2 and 3 in the journal. Record `b` is in the journal. `d`
 * has a file, and is deleted in the journal.
 */
async function killedStore(): Promise<string> {
  const folder = join(temporaryFolder(), 'store');
  const first = await lowdbStore(folder).open('the first');
  await first.create(record('a', 1));
  await first.create(record('d', 1));
  await first.close();
  const second = await lowdbStore(folder).open('the second');
  await second.create(record('b', 1));
  await second.commit({ id: 'a', expectedRevision: 1, snapshot: 2, transcript: ['x'.repeat(500)] });
  await second.delete('d');
  await second.commit({ id: 'a', expectedRevision: 2, snapshot: 3 });
  const killed = deadCopy(folder);
  await second.close();
  return killed;
}

function deadCopy(folder: string): string {
  const killed = join(temporaryFolder(), 'store');
  cpSync(folder, killed, { recursive: true });
  const lock = join(killed, 'owner.lock');
  const claim = JSON.parse(readFileSync(lock, 'utf8'));
  const { pid } = spawnSync(process.execPath, ['-e', '0']);
  writeFileSync(lock, JSON.stringify({ ...claim, process: { ...claim.process, pid, began: '1' } }));
  return killed;
}

const record = (id: string, snapshot: number) => ({
  id,
  kind: 'k',
  createdAt: 1,
  status: 's',
  snapshot,
  journal: [`${id} begins`],
});

/** The files of the journal, oldest first. */
function journalsIn(folder: string): string[] {
  const data = join(folder, 'data');
  const names = readdirSync(data).filter((name) => name.startsWith('journal-'));
  return names.toSorted().map((name) => join(data, name));
}

/** Every file with its content, except the lock. */
function contentOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const paths = names.filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(
    paths.map((name) => [name, readFileSync(join(folder, name), 'latin1')]),
  );
}

/** Opens the store, writes to each record, opens it again, and returns the snapshots before that. */
async function snapshotsIn(folder: string): Promise<Record<string, unknown>> {
  const place = lowdbStore(folder, { onError: () => {} });
  const store = await place.open('after the repair');
  const { items } = await store.list({}, { limit: 10 });
  const lengths = items.map(({ id, journalLength }) => [id, journalLength] as const);
  expect(await linesInFeed(store)).toEqual(new Map(lengths));
  const found: Record<string, unknown> = {};
  for (const { id, revision } of items) {
    found[id] = (await store.read(id))?.snapshot;
    await store.commit({ id, expectedRevision: revision, snapshot: `after ${revision}` });
  }
  await store.create(record('new', 1));
  await store.close();
  const again = await place.open('again');
  for (const { id, revision } of items)
    expect(await again.read(id)).toMatchObject({ snapshot: `after ${revision}` });
  expect(await again.read('new')).toMatchObject({ snapshot: 1 });
  const verification = await again.verify();
  expect(verification.damaged.filter(({ id }) => id === undefined)).toEqual([]);
  await again.close();
  return found;
}

test('the store of a killed process is as described', async () => {
  const folder = await killedStore();
  expect(journalsIn(folder)).toHaveLength(1);
  expect(await lowdbStore(folder).repairs?.()).toEqual([]);
  expect(await snapshotsIn(folder)).toEqual({ a: 3, b: 1 });
});

function cutLines(folder: string, from: number, count: number): void {
  const [journal] = journalsIn(folder);
  const lines = readFileSync(journal!, 'latin1').split('\n');
  writeFileSync(journal!, lines.toSpliced(from, count).join('\n'), 'latin1');
}

describe('a repair says first what it does, and only that is lost', () => {
  test.each([
    [
      'the journal is missing',
      (folder: string) => rmSync(journalsIn(folder)[0]!),
      'journal',
      { a: 1, d: 1 },
    ],
    [
      'the end of the journal is missing',
      (folder: string) => cutLines(folder, 1, 3),
      '3 writes in the journal',
      { a: 1, b: 1, d: 1 },
    ],
    [
      'the beginning of the journal is missing',
      (folder: string) => cutLines(folder, 0, 2),
      'writes in the journal',
      {},
    ],
    [
      'the manifest is missing',
      (folder: string) => rmSync(join(folder, 'store.json')),
      'store.json',
      { a: 3, b: 1 },
    ],
    [
      'the manifest is empty',
      (folder: string) => writeFileSync(join(folder, 'store.json'), ''),
      'store.json',
      { a: 3, b: 1 },
    ],
    [
      'the manifest is not what was written',
      (folder: string) => {
        const manifest = join(folder, 'store.json');
        const text = readFileSync(manifest, 'utf8');
        writeFileSync(manifest, text.replace('"isClosed": false', '"isClosed": true'));
      },
      'store.json',
      { a: 3, b: 1 },
    ],
    [
      'manifest and journal are missing',
      (folder: string) => {
        rmSync(join(folder, 'store.json'));
        rmSync(journalsIn(folder)[0]!);
      },
      'store.json',
      { a: 1, d: 1 },
    ],
  ])('%s', async (_, harm, name, expected) => {
    const folder = await killedStore();
    harm(folder);
    const before = contentOf(folder);
    const place = lowdbStore(folder, { onError: () => {} });
    await expect(place.open('the test')).rejects.toMatchObject({
      code: 'store/damaged',
      message: expect.stringMatching(/(missing|damaged|cannot be read).*"dramaturg repair"/),
    });
    rmSync(join(folder, 'owner.lock'), { force: true });
    delete before['owner.lock'];
    const [step, ...others] = await planRepair(place);
    expect(others).toEqual([]);
    expect(step).toEqual({
      finding: expect.stringContaining(name),
      action: expect.stringContaining('lost'),
      apply: expect.any(Function),
    });
    expect(contentOf(folder)).toEqual(before);
    await step!.apply();
    // Records that are set aside remain to be deleted.
    for (const { finding } of await planRepair(place)) expect(finding).toMatch(/^The record "a"/);
    expect(await snapshotsIn(folder)).toEqual(expected);
  });

  test('the file of a record is missing', async () => {
    const folder = await killedStore();
    rmSync(join(folder, 'data', 'records', 'a.json'));
    const place = lowdbStore(folder, { onError: () => {} });
    const [step, ...others] = await planRepair(place);
    expect(others).toEqual([]);
    expect(step).toMatchObject({
      finding: expect.stringMatching('The record "a" is damaged: Its file a.json is missing'),
      action: expect.stringContaining('Deletes the record'),
    });
    await step!.apply();
    expect(await planRepair(place)).toEqual([]);
    expect(await snapshotsIn(folder)).toEqual({ b: 1 });
  });
});

test('after a repair the feed has another name, and positions are not used again', async () => {
  const folder = await killedStore();
  const before = await lowdbStore(folder).read();
  const { feed, last } = await before.feed({ after: 0, limit: 9 });
  await before.close();
  rmSync(journalsIn(folder)[0]!);
  const place = lowdbStore(folder, { onError: () => {} });
  const [step] = await planRepair(place);
  await step!.apply();
  const store = await place.open('after the repair');
  expect((await store.feed({ after: 0, limit: 9 })).feed).not.toBe(feed);
  const { position } = await store.create(record('new', 1));
  expect(position).toBeGreaterThan(last);
  await store.close();
});

test.each([
  ['another version', '{ "store": "dramaturg/lowdb", "version": 1 }'],
  ['another kind', '{ "store": "other", "version": 2 }'],
])('a store of %s is not repaired', async (_, text) => {
  const folder = await killedStore();
  rmSync(join(folder, 'owner.lock'));
  writeFileSync(join(folder, 'store.json'), text);
  const before = contentOf(folder);
  await expect(planRepair(lowdbStore(folder))).rejects.toMatchObject({ code: 'store/foreign' });
  expect(contentOf(folder)).toEqual(before);
});

test.each([
  [
    'two data folders',
    (folder: string) => cpSync(join(folder, 'data'), join(folder, 'data-9'), { recursive: true }),
    /2 data folders.*greatest number/,
  ],
  [
    'no data folder',
    (folder: string) => rmSync(join(folder, 'data'), { recursive: true }),
    /data folder is missing/,
  ],
])(
  'a store with %s cannot be repaired, and the error says what to do',
  async (_, harm, message) => {
    const folder = await killedStore();
    rmSync(join(folder, 'owner.lock'));
    harm(folder);
    const before = contentOf(folder);
    await expect(planRepair(lowdbStore(folder))).rejects.toMatchObject({
      code: 'store/damaged',
      message: expect.stringMatching(message),
    });
    expect(contentOf(folder)).toEqual(before);
  },
);

test('a repair that was planned for another state of the store changes nothing', async () => {
  const folder = await killedStore();
  const [journal] = journalsIn(folder).slice(-1);
  const bytes = readFileSync(journal!);
  rmSync(journal!);
  const [step] = await planRepair(lowdbStore(folder));
  writeFileSync(journal!, bytes);
  await expect(step!.apply()).rejects.toThrow(/Plan it again/);
  expect(await snapshotsIn(folder)).toEqual({ a: 3, b: 1 });
});

test('the store of a living owner is not repaired', async () => {
  const folder = join(temporaryFolder(), 'store');
  const store = await lowdbStore(folder).open('the owner');
  await expect(planRepair(lowdbStore(folder))).rejects.toMatchObject({ code: 'store/owned' });
  await store.close();
});

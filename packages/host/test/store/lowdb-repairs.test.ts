import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { planRepair } from '../../src/store/repair.ts';
import { linesInFeed } from '@dramaturg/testing';
import { temporaryFolder } from './temporary-folder.ts';

/**
 * Creates the store of two killed processes. Record `a` has 1 in its files, 2 in the first file of the journal and 3 in the
 * second one. Record `b` is in the first file of the journal, and `c` in the second one. `d` is deleted in the second one.
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
  const killed = deadCopy(folder);
  await second.close();
  const third = await lowdbStore(killed).open('the third');
  await third.commit({ id: 'a', expectedRevision: 2, snapshot: 3 });
  await third.create(record('c', 1));
  await third.delete('d');
  const killedAgain = deadCopy(killed);
  await third.close();
  return killedAgain;
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
  expect(journalsIn(folder)).toHaveLength(2);
  expect(await lowdbStore(folder).repairs?.()).toEqual([]);
  expect(await snapshotsIn(folder)).toEqual({ a: 3, b: 1, c: 1 });
});

describe('a repair says first what it does, and only that is lost', () => {
  test.each([
    [
      'the newest file of the journal is missing',
      (folder: string) => rmSync(journalsIn(folder).at(-1)!),
      'journal',
      { a: 2, b: 1, d: 1 },
    ],
    [
      'an older file of the journal is missing',
      (folder: string) => rmSync(journalsIn(folder)[0]!),
      'journal',
      { c: 1 },
    ],
    [
      'all files of the journal are missing',
      (folder: string) => journalsIn(folder).forEach((path) => rmSync(path)),
      'journal',
      { a: 1, d: 1 },
    ],
    [
      'the manifest is missing',
      (folder: string) => rmSync(join(folder, 'data', 'manifest.json')),
      'manifest.json',
      { a: 3, b: 1, c: 1 },
    ],
    [
      'the manifest is empty',
      (folder: string) => writeFileSync(join(folder, 'data', 'manifest.json'), ''),
      'manifest.json',
      { a: 3, b: 1, c: 1 },
    ],
    [
      'manifest and newest file of the journal are missing',
      (folder: string) => {
        rmSync(join(folder, 'data', 'manifest.json'));
        rmSync(journalsIn(folder).at(-1)!);
      },
      'manifest.json',
      { a: 2, b: 1, d: 1 },
    ],
    [
      'store.json is missing',
      (folder: string) => rmSync(join(folder, 'store.json')),
      'store.json',
      { a: 3, b: 1, c: 1 },
    ],
    [
      'the data folder is missing',
      (folder: string) => rmSync(join(folder, 'data'), { recursive: true }),
      'data folder',
      {},
    ],
  ])('%s', async (_, harm, name, expected) => {
    const folder = await killedStore();
    harm(folder);
    const before = contentOf(folder);
    const place = lowdbStore(folder, { onError: () => {} });
    const refused = {
      code: 'store/damaged',
      message: expect.stringMatching(/is (missing|not a manifest).*"dramaturg repair"/),
    };
    await expect(place.open('the test')).rejects.toMatchObject(refused);
    await expect(place.read()).rejects.toMatchObject(refused);
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
    for (const { finding } of await planRepair(place))
      expect(finding).toMatch(/^The record "[ad]"/);
    expect(await snapshotsIn(folder)).toEqual(expected);
  });

  test('the record.json of a record is missing', async () => {
    const folder = await killedStore();
    rmSync(join(folder, 'data', 'records', 'a', 'record.json'));
    const place = lowdbStore(folder, { onError: () => {} });
    const [step, ...others] = await planRepair(place);
    expect(others).toEqual([]);
    expect(step).toMatchObject({
      finding: expect.stringMatching('The record "a" is damaged: Its file record.json is missing'),
      action: expect.stringContaining('Deletes the record'),
    });
    await step!.apply();
    expect(await planRepair(place)).toEqual([]);
    expect(await snapshotsIn(folder)).toEqual({ b: 1, c: 1 });
  });

  test('the index is missing', async () => {
    const folder = await killedStore();
    const data = join(folder, 'data');
    for (const found of readdirSync(data).filter((one) => one.startsWith('index')))
      rmSync(join(data, found));
    const place = lowdbStore(folder, { onError: () => {} });
    const [step, ...others] = await planRepair(place);
    expect(others).toEqual([]);
    expect(step).toMatchObject({ action: expect.stringContaining('Nothing is lost') });
    await step!.apply();
    expect(await snapshotsIn(folder)).toEqual({ a: 3, b: 1, c: 1 });
    expect(await planRepair(place)).toEqual([]);
  });
});

test.each(['', 'not json'])('a store.json with the content "%s" is written again', async (text) => {
  const folder = await killedStore();
  rmSync(join(folder, 'owner.lock'));
  const marker = join(folder, 'store.json');
  const before = readFileSync(marker, 'utf8');
  writeFileSync(marker, text);
  const place = lowdbStore(folder, { onError: () => {} });
  await expect(place.open('the test')).rejects.toMatchObject({
    code: 'store/foreign',
    message: expect.stringContaining('run "dramaturg repair"'),
  });
  const [step] = await planRepair(place);
  expect(step).toMatchObject({ action: expect.stringContaining('Nothing is lost') });
  expect(readFileSync(marker, 'utf8')).toBe(text);
  await step!.apply();
  expect(readFileSync(marker, 'utf8')).toBe(before);
  expect(await snapshotsIn(folder)).toEqual({ a: 3, b: 1, c: 1 });
});

test('a store that lacks store.json and its manifest is repaired in two steps', async () => {
  const folder = await killedStore();
  rmSync(join(folder, 'owner.lock'));
  rmSync(join(folder, 'store.json'));
  rmSync(join(folder, 'data', 'manifest.json'));
  const place = lowdbStore(folder, { onError: () => {} });
  for (const name of ['store.json', 'manifest.json']) {
    const [step] = await planRepair(place);
    expect(step).toMatchObject({ finding: expect.stringContaining(name) });
    await step!.apply();
  }
  expect(await snapshotsIn(folder)).toEqual({ a: 3, b: 1, c: 1 });
});

test.each([
  ['another version', '{ "store": "dramaturg/lowdb", "version": 1 }'],
  ['another kind', '{ "store": "other", "version": 2 }'],
])('a store of %s is not repaired', async (_, text) => {
  const folder = await killedStore();
  rmSync(join(folder, 'owner.lock'));
  rmSync(join(folder, 'data'), { recursive: true });
  writeFileSync(join(folder, 'store.json'), text);
  await expect(planRepair(lowdbStore(folder))).rejects.toMatchObject({ code: 'store/foreign' });
  expect(readdirSync(folder)).toEqual(['store.json']);
});

test.each([
  ['two data folders', 'data-9', /2 data folders.*greatest number/],
  ['a folder with other content', undefined, /store\.json is missing/],
])('%s cannot be repaired, and the error says what to do', async (_, second, message) => {
  const folder = await killedStore();
  rmSync(join(folder, 'owner.lock'));
  if (second === undefined) {
    rmSync(join(folder, 'store.json'));
    rmSync(join(folder, 'data', 'records'), { recursive: true });
  } else cpSync(join(folder, 'data'), join(folder, second), { recursive: true });
  const before = contentOf(folder);
  await expect(planRepair(lowdbStore(folder))).rejects.toMatchObject({
    code: 'store/damaged',
    message: expect.stringMatching(message),
  });
  expect(contentOf(folder)).toEqual(before);
});

test('a repair that was planned for another state of the store changes nothing', async () => {
  const folder = await killedStore();
  const [journal] = journalsIn(folder).slice(-1);
  const bytes = readFileSync(journal!);
  rmSync(journal!);
  const [step] = await planRepair(lowdbStore(folder));
  writeFileSync(journal!, bytes);
  await expect(step!.apply()).rejects.toThrow(/Plan it again/);
  expect(await snapshotsIn(folder)).toEqual({ a: 3, b: 1, c: 1 });
});

test('the store of a living owner is not repaired', async () => {
  const folder = join(temporaryFolder(), 'store');
  const store = await lowdbStore(folder).open('the owner');
  await expect(planRepair(lowdbStore(folder))).rejects.toMatchObject({ code: 'store/owned' });
  await store.close();
});

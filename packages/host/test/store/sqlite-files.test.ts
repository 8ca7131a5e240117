import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runsAll, scaled } from '../../../../.config/scaled.ts';
import { nodeFileSystem } from '../../src/store/disk/node-file-system.ts';
import type { FsyncMode } from '../../src/store/fsync.ts';
import { machineProcesses } from '../../src/store/owner/processes.ts';
import { withFile } from '../../src/store/sqlite/database-image.ts';
import { readLogFile } from '../../src/store/sqlite/log-file.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { containerWith, processWith, ran } from './processes.ts';
import { randomNumbers } from './simulated-machine.ts';
import { temporaryFolder } from './temporary-folder.ts';

const aRecord = { id: 'a', kind: 'k', createdAt: 1, status: 's', snapshot: 0 };

/** The files of a store as a crash leaves them, after a number of commits. */
async function crashedStore(commits = 20, fsync: FsyncMode = 'always'): Promise<string> {
  const file = join(temporaryFolder(), 'store.db');
  const store = await sqliteStore(file, { fsync }).open('the one that crashes');
  await store.create(aRecord);
  for (let revision = 1; revision <= commits; revision += 1) {
    await store.commit({
      id: 'a',
      expectedRevision: revision,
      snapshot: revision,
      journal: ['j'.repeat(900)],
    });
  }
  const crashed = join(temporaryFolder(), 'store.db');
  for (const end of ['', '-wal']) copyFileSync(file + end, crashed + end);
  await store.close();
  return crashed;
}

async function closedStore(snapshot = 0): Promise<string> {
  const file = join(temporaryFolder(), 'store.db');
  const store = await sqliteStore(file).open('the test');
  await store.create({ ...aRecord, snapshot });
  await store.close();
  return file;
}

async function snapshotIn(file: string): Promise<unknown> {
  const store = await sqliteStore(file).open('the test');
  try {
    return (await store.read('a'))?.snapshot;
  } finally {
    await store.close();
  }
}

function contentOf(folder: string): Record<string, Buffer> {
  const names = readdirSync(folder).toSorted();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name))]));
}

test('a crashed store has everything that was acknowledged', async () => {
  expect(await snapshotIn(await crashedStore())).toBe(20);
});

test('a crash while the log is copied loses nothing', async () => {
  const file = await crashedStore(60);
  // The first page is copied first. It has the number of pages, of which the file has few.
  const log = await withFile(nodeFileSystem(), `${file}-wal`, (open) => readLogFile(open, 3));
  const bytes = readFileSync(`${file}-wal`);
  const firstPage = bytes.subarray(log!.pages.get(1)).subarray(0, 4_096);
  writeFileSync(file, Buffer.concat([firstPage, readFileSync(file).subarray(4_096)]));
  expect(firstPage.readUInt32BE(28) * 4_096).toBeGreaterThan(statSync(file).size);
  expect(await snapshotIn(file)).toBe(60);
});

test('a power cut that tears the first page while the log is copied loses nothing', async () => {
  const file = await crashedStore(60);
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xff, 512, 4_096));
  const reader = await sqliteStore(file).read();
  expect((await reader.read('a'))?.snapshot).toBe(60);
  await reader.close();
  expect(await snapshotIn(file)).toBe(60);
});

test('no byte of deleted records is in a large store after its compaction', async () => {
  const file = join(temporaryFolder(), 'store.db');
  const store = await sqliteStore(file, { fsync: 'never' }).open('the test');
  const ids = Array.from({ length: scaled(400) + 20 }, (_, number) => `secret-${number * 7_919}`);
  for (const id of ids) {
    const contact = `${id} of a contact`;
    await store.create({ ...aRecord, id, contact, snapshot: 'x'.repeat(30_000) });
  }
  for (const id of ids) await store.commit({ id, expectedRevision: 1, status: `${id} has ended` });
  const size = await store.size();
  for (const id of ids.slice(10)) await store.delete(id);
  await store.compact();
  expect(await store.size()).toBeLessThan(size / 3);
  const bytes = Buffer.concat([readFileSync(file), readFileSync(`${file}-wal`)]);
  const kept = new Set(ids.slice(0, 10));
  expect(ids.filter((id) => bytes.includes(`${id} `) !== kept.has(id))).toEqual([]);
  expect(await store.verify()).toMatchObject({ records: 10, damaged: [] });
  await store.close();
});

describe('a store whose newest data is not there is refused, and not changed', () => {
  test.each([
    ['the log is missing', (file: string) => rmSync(`${file}-wal`), '-wal is missing'],
    ['the log is empty', (file: string) => truncateSync(`${file}-wal`), 'is empty'],
    [
      'the beginning of the log is changed',
      (file: string) => flip(`${file}-wal`, 17),
      'beginning is damaged',
    ],
    [
      'a flushed commit in the log is changed',
      (file: string) => flip(`${file}-wal`, 12_000),
      '-wal is damaged',
    ],
    ['the database is missing', (file: string) => rmSync(file), 'its log'],
    [
      'the database is missing, and the lock is there',
      (file: string) => {
        rmSync(file);
        rmSync(`${file}-wal`);
        writeFileSync(`${file}.lock`, deadClaim);
      },
      'its lock',
    ],
    ['the database is empty', (file: string) => truncateSync(file), 'is empty'],
    ['the database is cut off', (file: string) => truncateSync(file, 3 * 4_096), 'is cut off'],
  ])('%s', async (_, harm, reason) => {
    const file = await crashedStore();
    harm(file);
    const folder = join(file, '..');
    const before = contentOf(folder);
    const refused = { code: 'store/damaged', message: expect.stringContaining(reason) };
    await expect(sqliteStore(file).open('the test')).rejects.toMatchObject(refused);
    await expect(sqliteStore(file).read()).rejects.toMatchObject(refused);
    expect(contentOf(folder)).toEqual(before);
  });

  const foreign = { code: 'store/damaged', message: expect.stringContaining('belongs to') };

  test('the log is that of another store', async () => {
    const file = await crashedStore();
    copyFileSync(`${await crashedStore()}-wal`, `${file}-wal`);
    await expect(sqliteStore(file).open('the test')).rejects.toMatchObject(foreign);
  });

  test('the log is of an earlier time than the database', async () => {
    const file = await crashedStore();
    copyFileSync(`${file}-wal`, `${file}.old`);
    expect(await snapshotIn(file)).toBe(20);
    renameSync(`${file}.old`, `${file}-wal`);
    await expect(sqliteStore(file).open('the test')).rejects.toMatchObject(foreign);
  });

  test('the database is of an earlier time than the log', async () => {
    const file = await crashedStore();
    const older = await closedStore();
    copyFileSync(older, file);
    await expect(sqliteStore(file).open('the test')).rejects.toMatchObject(foreign);
  });
});

describe('a repair goes on without what is lost, and says so first', () => {
  test.each([
    ['the log is missing', (file: string) => rmSync(`${file}-wal`), undefined],
    ['the log is empty', (file: string) => truncateSync(`${file}-wal`), undefined],
    ['the log is damaged', (file: string) => flip(`${file}-wal`, 100_000), expect.any(Number)],
    ['the database is missing', (file: string) => rmSync(file), undefined],
  ])('%s', async (_, harm, snapshot) => {
    const file = await crashedStore();
    harm(file);
    const before = contentOf(join(file, '..'));
    const [step, ...others] = (await sqliteStore(file).repairs?.()) ?? [];
    expect(others).toEqual([]);
    expect(step).toMatchObject({
      finding: expect.stringContaining(file),
      action: expect.stringMatching(/lost|empty/),
    });
    expect(contentOf(join(file, '..'))).toEqual(before);
    await step!.apply();
    expect(await sqliteStore(file).repairs?.()).toEqual([]);
    expect(await snapshotIn(file)).toEqual(snapshot);
  });

  test('there is no step for a sound store, nor for a database that is cut off', async () => {
    const file = await crashedStore();
    expect(await sqliteStore(file).repairs?.()).toEqual([]);
    truncateSync(file, 3 * 4_096);
    expect(await sqliteStore(file).repairs?.()).toEqual([]);
  });
});

test('a changed byte of the log is found, or was in the last commit', async () => {
  const file = await crashedStore();
  const logBytes = readFileSync(`${file}-wal`);
  const outcomes = new Map<unknown, number>();
  const step = runsAll ? 3_907 : 18_713;
  for (let offset = 3; offset < logBytes.length; offset += step) {
    const harmed = join(temporaryFolder(), 'store.db');
    copyFileSync(file, harmed);
    const bytes = Buffer.from(logBytes);
    bytes[offset]! ^= 0x10;
    writeFileSync(`${harmed}-wal`, bytes);
    const found = await snapshotIn(harmed).catch(({ code }: { code: string }) => code);
    outcomes.set(found, (outcomes.get(found) ?? 0) + 1);
  }
  for (const found of outcomes.keys()) expect(['store/damaged', 18, 19, 20]).toContain(found);
  expect(outcomes.get('store/damaged')).toBeGreaterThan(40_000 / step);
});

test('a power cut that loses any pages of commits that were not flushed is not called damage', async () => {
  const file = await crashedStore(20, 'batch');
  const logBytes = readFileSync(`${file}-wal`);
  const frame = 24 + 4_096;
  for (let seed = 1; seed <= scaled(80); seed += 1) {
    const random = randomNumbers(seed);
    const bytes = Buffer.from(logBytes);
    // The first commit is that of the open.
    for (let at = 32 + frame; at < bytes.length; at += frame)
      if (random() < 0.1) bytes.fill(0, at, at + (random() < 0.5 ? 24 : frame));
      else if (random() < 0.2) bytes.fill(0, at + 24 + Math.floor(random() * 4_096), at + frame);
    const cut = join(temporaryFolder(), 'store.db');
    copyFileSync(file, cut);
    writeFileSync(`${cut}-wal`, bytes);
    const found = await snapshotIn(cut).catch((error: Error) => error.message);
    expect({ seed, found: String(found) }).toEqual({
      seed,
      found: expect.not.stringContaining('damaged'),
    });
  }
});

test('a log that ends within a commit is that of an interrupted write', async () => {
  const file = await crashedStore();
  truncateSync(`${file}-wal`, statSync(`${file}-wal`).size - 5_000);
  expect(await snapshotIn(file)).toBeOneOf([18, 19]);
});

test('a process that exits without closing its store loses nothing', async () => {
  const path = join(temporaryFolder(), 'store.db');
  const said = await ran({ store: 'sqlite', path, exit: true });
  expect(said.at(-1)).toEqual({ revision: 8 });
  expect(await snapshotIn(path)).toBe(8);
});

describe('H6 a file that is open is refused by every path', () => {
  const owned = { code: 'store/owned' };

  test('a hard link, in another process and in this one', async ({ skip }) => {
    skip(!runsAll);
    const path = join(temporaryFolder(), 'store.db');
    const kill = await processWith({ store: 'sqlite', path, stay: true });
    const other = join(temporaryFolder(), 'other.db');
    linkSync(path, other);
    await expect(sqliteStore(other).open('the second')).rejects.toMatchObject({
      ...owned,
      message: expect.stringContaining('through another path'),
    });
    // The log is next to the first name.
    await expect(sqliteStore(other).read()).rejects.toMatchObject({ code: 'store/damaged' });
    await kill();
    const store = await sqliteStore(path).open('the first');
    await expect(sqliteStore(other).open('the second')).rejects.toMatchObject({
      ...owned,
      message: expect.stringContaining('"the first", in this process'),
    });
    // The refused attempt has not released the lock of this process.
    expect(await ran({ store: 'sqlite', path: other })).toEqual([{ failed: 'store/owned' }]);
    await store.close();
  });

  test('a bind mount of the file', async ({ skip }) => {
    const path = join(temporaryFolder(), 'store.db');
    await processWith({ store: 'sqlite', path, stay: true });
    const other = join(temporaryFolder(), 'other.db');
    writeFileSync(other, '');
    if (!mayMount(path, other)) skip('mounts are not permitted');
    await expect(sqliteStore(other).open('the second')).rejects.toMatchObject(owned);
  });

  test('an owner in another container, even while it is frozen', async ({ skip }) => {
    const path = join(temporaryFolder(), 'store.db');
    const frozen = await containerWith({ store: 'sqlite', path, stay: true });
    if (frozen === undefined) skip('namespaces are not permitted');
    process.kill(frozen!, 'SIGSTOP');
    const named = { ...owned, message: expect.stringContaining('"the process of a test"') };
    await expect(sqliteStore(path).open('the second')).rejects.toMatchObject(named);
    process.kill(frozen!, 'SIGCONT');
    await expect(sqliteStore(path).open('the second')).rejects.toMatchObject(named);
  });

  test('an owner that is frozen, with the time and what to do', async ({ skip }) => {
    if (process.platform !== 'linux') skip('needs /proc');
    const path = join(temporaryFolder(), 'store.db');
    const kill = await processWith({ store: 'sqlite', path, stay: true });
    const { pid } = (
      JSON.parse(readFileSync(`${path}.lock`, 'utf8')) as { process: { pid: number } }
    ).process;
    process.kill(pid, 'SIGSTOP');
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'latin1')).toMatch(/\) T /);
    // Whole seconds: a file system keeps fractions of its own.
    const since = new Date(Math.floor(Date.now() / 1_000 - 60) * 1_000);
    utimesSync(`${path}.lock`, since, since);
    await expect(sqliteStore(path).open('the standby')).rejects.toMatchObject({
      ...owned,
      message: expect.stringMatching(
        `process ${pid} on .*It has not answered since ${since.toISOString()}, .*SIGKILL`,
      ),
    });
    process.kill(pid, 'SIGCONT');
    await kill();
    await (await sqliteStore(path).open('the standby')).close();
  });

  test('symbolic links, to the file and to its folder, and a relative path', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'deep', 'store.db');
    symlinkSync(path, join(folder, 'link'));
    symlinkSync(join(folder, 'deep'), join(folder, 'folder'));
    // The link leads to a file that does not exist yet, in a folder that does not exist yet.
    const store = await sqliteStore(join(folder, 'link')).open('the first');
    expect(readdirSync(join(folder, 'deep')).toSorted()).toEqual([
      'store.db',
      'store.db-mark',
      'store.db-wal',
      'store.db.lock',
    ]);
    for (const other of [path, join(folder, 'folder', 'store.db'), relative('.', path)]) {
      await expect(sqliteStore(other).open('the second')).rejects.toMatchObject(owned);
    }
    await store.close();
  });

  test('a store whose file was replaced acknowledges nothing more', async () => {
    const path = await closedStore();
    const copy = `${path}.copy`;
    copyFileSync(path, copy);
    const store = await sqliteStore(path, { onError: () => undefined }).open('the test');
    renameSync(copy, path);
    const lost = { code: 'store/lost', message: expect.stringContaining('replaced') };
    await expect(store.commit({ id: 'a', expectedRevision: 1 })).rejects.toMatchObject(lost);
    await expect(store.create({ ...aRecord, id: 'b' })).rejects.toMatchObject(lost);
    const before = readFileSync(path);
    await store.close();
    expect(readFileSync(path)).toEqual(before);
  });
});

describe('reading', () => {
  test('a crashed store on a read-only disk shows everything, and is not changed', async () => {
    const file = await crashedStore();
    const folder = join(file, '..');
    const before = contentOf(folder);
    const reader = await sqliteStore(file).read();
    expect(await reader.read('a')).toMatchObject({ revision: 21, snapshot: 20 });
    expect(await reader.verify()).toMatchObject({ records: 1, damaged: [] });
    await reader.close();
    expect(contentOf(folder)).toEqual(before);
  });

  test('a closed store can be read by a process that may not write', async ({ skip }) => {
    const file = await closedStore(7);
    if (process.getuid?.() !== 0) skip('needs root, to become another user');
    chmodSync(join(file, '..'), 0o755);
    chmodSync(file, 0o644);
    const said = await ran({ store: 'sqlite', path: file, asNobody: true, read: true });
    expect(said).toEqual([{ read: 7 }]);
  });

  test('a reader notices that a host has opened the store', async () => {
    const file = await closedStore();
    const reader = await sqliteStore(file).read();
    expect(await reader.read('a')).toBeDefined();
    const kill = await processWith({ store: 'sqlite', path: file, stay: true });
    await expect(reader.read('a')).rejects.toMatchObject({ code: 'store/owned' });
    await kill();
    await reader.close();
  });
});

test('the files of a store belong to their owner only', async () => {
  const file = join(temporaryFolder(), 'new', 'store.db');
  const store = await sqliteStore(file).open('the test');
  const folder = join(file, '..');
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(folder)) {
    expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600]);
  }
  await store.close();
});

/** The lock of a process that is certainly dead. */
const deadClaim = JSON.stringify({
  token: 't',
  owner: 'the dead',
  process: { ...machineProcesses().self(), pid: 2 ** 22 + 1 },
  since: '2020-01-01T00:00:00.000Z',
});

function flip(path: string, offset: number): void {
  const bytes = readFileSync(path);
  bytes[offset]! ^= 1;
  writeFileSync(path, bytes);
}

function mayMount(path: string, target: string): boolean {
  try {
    execFileSync('mount', ['--bind', path, target], { stdio: 'ignore' });
  } catch {
    return false;
  }
  onTestFinished(() => {
    execFileSync('umount', [target]);
  });
  return true;
}

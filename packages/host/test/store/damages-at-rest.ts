import { join } from 'node:path';
import { expect } from 'vitest';
import type { Store } from '../../src/store/contract.ts';
import { readIfExists } from '../../src/store/disk/file-system.ts';
import { StoreError } from '../../src/store/errors.ts';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { SimulatedFiles, feedOf } from '@dramaturg/testing';
import { randomNumbers, SimulatedProcess } from './simulated-machine.ts';

const root = '/store';
const whole = { from: 0, limit: 10_000 };
const damagesPerStore = 10;

/** A store that nobody has open, and what it has. */
interface StoreAtRest {
  readonly files: SimulatedFiles;
  readonly content: ReadonlyMap<string, unknown>;
  readonly feed: readonly unknown[];
  /** The files as they were before, by path. Each time has some of them. */
  readonly earlier: readonly ReadonlyMap<string, Buffer>[];
}

type Below = (limit: number) => number;

/**
 * Damages one file of stores at rest: cuts it, empties it, flips a bit, or puts back an older copy.
 *
 * @returns how often that was noticed
 */
export async function damageStores(count: number): Promise<{ noticed: number; harmless: number }> {
  const result = { noticed: 0, harmless: 0 };
  let store: StoreAtRest | undefined;
  for (let seed = 0; seed < count; seed += 1) {
    const random = randomNumbers(seed + 1);
    const below: Below = (limit) => Math.floor(random() * limit);
    if (store === undefined || seed % damagesPerStore === 0) store = await storeAtRest(seed, below);
    const files = store.files.killed();
    const damage = await damaged(files, store, below);
    const outcome = await outcomeOf(files, store, seed).catch((error: unknown) => String(error));
    const expected = damage === undefined ? /^unchanged$/ : /^(noticed|unchanged)$/;
    expect({ seed, damage, outcome }).toEqual({
      seed,
      damage,
      outcome: expect.stringMatching(expected),
    });
    result[outcome === 'noticed' ? 'noticed' : 'harmless'] += 1;
  }
  return result;
}

/** Writes to a store that is opened several times. At last it is closed, or its process is killed. */
async function storeAtRest(seed: number, below: Below): Promise<StoreAtRest> {
  let files = new SimulatedFiles();
  const earlier: ReadonlyMap<string, Buffer>[] = [];
  const lives = 1 + below(3);
  for (let life = 1; life <= lives; life += 1) {
    const process = new SimulatedProcess(files, life, randomNumbers(seed));
    const journalSize = below(2) === 0 ? 100_000 : 1_500;
    const store = await lowdbStore(root, { system: process.system, journalSize }).open('the test');
    for (let step = 0; step < 25; step += 1) {
      await write(store, below);
      if (step % 6 === 0) earlier.push(await contentOfFiles(files));
    }
    const last = life === lives && (await contentOf(store));
    if (below(2) === 0) await store.close();
    const after = files.killed();
    process.kill();
    files = after;
    if (last) return { files, earlier, ...last };
  }
  throw new Error('unreachable');
}

async function write(store: Store, below: Below): Promise<void> {
  const id = `r${below(5)}`;
  const found = await store.read(id);
  const next = { snapshot: below(1_000), journal: ['x'.repeat(20)] };
  if (found === undefined)
    await store.create({ id, kind: 'k', createdAt: 1, status: 's', ...next });
  else if (below(9) === 0) await store.delete(id);
  else if (below(12) === 0) await store.compact();
  else await store.commit({ id, expectedRevision: found.revision, ...next });
}

async function contentOf(store: Pick<Store, 'list' | 'read' | 'journal' | 'feed'>) {
  const content = new Map<string, unknown>();
  for (const { id, revision } of (await store.list({}, { limit: 100 })).items)
    content.set(id, { revision, ...(await store.read(id)), lines: await store.journal(id, whole) });
  return { content, feed: await feedOf(store) };
}

/** @returns what was done; undefined when the file has the same content as before */
async function damaged(
  files: SimulatedFiles,
  { earlier }: StoreAtRest,
  below: Below,
): Promise<string | undefined> {
  const all = await contentOfFiles(files);
  const paths = [...all.keys()].filter((path) => !path.endsWith('owner.lock'));
  // The journal is as likely as all other files.
  const journals = paths.filter((path) => path.includes('journal-'));
  const chosen = below(2) === 0 && journals.length > 0 ? journals : paths;
  const path = chosen[below(chosen.length)]!;
  const before = all.get(path)!;
  const [name, after] = changed(path, before, earlier, below);
  const file = await files.open(path, 'write');
  await file.truncate(after.length);
  await file.write(after, 0);
  return after.equals(before) ? undefined : `${name} ${path}`;
}

function changed(
  path: string,
  before: Buffer,
  earlier: StoreAtRest['earlier'],
  below: Below,
): [name: string, after: Buffer] {
  const kind = below(5);
  if (kind === 0) return ['emptied', Buffer.alloc(0)];
  if (kind === 1) return ['cut', before.subarray(0, below(before.length + 1))];
  if (kind === 2) {
    // At the end of a line, where what remains looks whole.
    const ends = Array.from(before.keys()).filter((at) => before[at] === 10);
    return ['cut after a line', before.subarray(0, (ends[below(ends.length)] ?? -1) + 1)];
  }
  const older = earlier.flatMap((content) => content.get(path) ?? []);
  if (kind === 3 && older.length > 0) return ['replaced by an older', older[below(older.length)]!];
  const after = Buffer.from(before);
  const at = below(before.length);
  if (before.length > 0) after[at] = after[at]! ^ (1 << below(8));
  return ['flipped', after];
}

async function outcomeOf(
  files: SimulatedFiles,
  { content, feed }: StoreAtRest,
  seed: number,
): Promise<string> {
  const process = new SimulatedProcess(files, 99, randomNumbers(seed));
  const place = lowdbStore(root, { system: process.system });
  try {
    const store = await place.open('the test, again');
    let isNoticed = (await store.verify()).damaged.length > 0;
    const ids = (await store.list({}, { limit: 100 })).items.map(({ id }) => id);
    for (const id of new Set([...content.keys(), ...ids])) {
      try {
        const record = await store.read(id);
        const lines = record && (await store.journal(id, whole));
        const found = record && { ...record, lines };
        expect({ id, found }).toEqual({ id, found: content.get(id) });
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== 'store/damaged') throw error;
        isNoticed = true;
      }
    }
    const isServed = (entry: unknown) => ids.includes((entry as { id: string }).id);
    const entries = await feedOf(store).catch((error: StoreError) => error.code);
    if (typeof entries === 'string') expect(entries).toBe('store/damaged');
    else if (!isNoticed) expect(entries).toEqual(feed.filter(isServed));
    await store.close();
    return isNoticed || typeof entries === 'string' ? 'noticed' : 'unchanged';
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return /^store\/(damaged|foreign)$/.test(error.code) ? 'noticed' : String(error);
  } finally {
    process.kill();
  }
}

async function contentOfFiles(files: SimulatedFiles): Promise<ReadonlyMap<string, Buffer>> {
  const found = new Map<string, Buffer>();
  const pending = [root];
  for (const path of pending) {
    const status = await files.stat(path);
    if (status?.isFolder === true)
      for (const name of await files.list(path)) pending.push(join(path, name));
    else {
      // A file that is being written may have got its name in the meantime.
      const content = await readIfExists(path, files);
      if (content !== undefined) found.set(path, content);
    }
  }
  return found;
}

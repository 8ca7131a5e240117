import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StoreLocation } from '@dramaturg/host';
import { nodeSystem } from '@dramaturg/host/store';
import { SimulatedFiles } from '@dramaturg/testing';
import { FaultLibrary } from './faults/fault-library.ts';
import type { Mission } from './protocol.ts';
import { storeOf } from './store-of.ts';
import type { Trouble } from './trouble.ts';

/** The cuts of one process that writes. */
const cutsPerWriter = 300;
/** The length of `struct record` in disk-faults.c. */
const headLength = 24;

/** A change that a process made to its files. */
interface Step {
  readonly kind: string;
  readonly path: string;
  readonly other: string;
  readonly offset: number;
  readonly bytes: Buffer;
}

/** The revision of each record that its writer received; 0 when it is deleted, -1 when it may be. */
type Promises = Map<string, number>;

/**
 * Records the changes that a process makes to its files, and cuts the power after some of them: the device has either all of them
 * in order, or any part of those that were not flushed. A store opens the files that are left. The next process continues with some of them.
 */
export const cuts: Trouble = async ({ store, folder, chance, onProgress }, times) => {
  const library = new FaultLibrary();
  const place = { store, folder, fsync: 'always' } as const;
  const kinds = { 'in order': 0, 'in any order': 0 };
  let files = new SimulatedFiles();
  let promises: Promises = new Map();
  try {
    for (let done = 0; done < times;) {
      const seed = chance.between(1, 2 ** 31);
      const { steps, left } = await traced(place, seed, files, library);
      const share = Math.min(cutsPerWriter, times - done) / steps.length;
      let next = { files, promises };
      for (const step of steps) {
        await repeat(step, files, promises);
        if (chance.next() >= share || done === times) continue;
        const kind = chance.next() < 0.3 ? 'in order' : 'in any order';
        const cut = kind === 'in order' ? files.killed() : files.cut(() => chance.next());
        await write(cut, folder);
        const when = `after step ${steps.indexOf(step)} of the writer ${seed}`;
        await check(storeOf(place, { system }), promises).catch((cause: unknown) => {
          throw new Error(`The power was cut ${when}: ${(cause as Error).message}`, { cause });
        });
        kinds[kind] += 1;
        done += 1;
        onProgress(1);
        if (chance.next() < 0.02) next = { files: cut, promises: new Map(promises) };
      }
      // Every change was recorded.
      for (const [path, bytes] of left) assert.deepEqual(await files.readFile(path), bytes, path);
      ({ files, promises } = next);
    }
    return { kinds };
  } finally {
    library.remove();
  }
};

/** Runs a process that writes, on copies of files. @returns what it has changed, and the files that it has left */
async function traced(
  mission: Pick<Mission, 'store' | 'folder' | 'fsync'>,
  seed: number,
  files: SimulatedFiles,
  library: FaultLibrary,
): Promise<{ readonly steps: Step[]; readonly left: ReadonlyMap<string, Buffer> }> {
  const root = mkdtempSync(join(tmpdir(), 'dramaturg-trace-'));
  const [folder, trace] = [join(root, 'disk'), join(root, 'trace')];
  try {
    await write(files, folder);
    const { status, stderr } = spawnSync(
      process.execPath,
      [
        fileURLToPath(new URL('writer.ts', import.meta.url)),
        JSON.stringify({ ...mission, folder, seed }),
      ],
      { env: { ...process.env, ...library.tracing(folder, trace) } },
    );
    if (status !== 0) throw new Error(`The writer failed: ${stderr.toString()}`);
    const left = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/^said$|-shm$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [`/${relative(folder, path)}`, readFileSync(path)] as const);
    return { steps: stepsIn(readFileSync(trace), folder), left: new Map(left) };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function stepsIn(trace: Buffer, folder: string): Step[] {
  const steps: Step[] = [];
  const pathIn = (bytes: Buffer) => `/${relative(folder, bytes.toString())}`;
  for (let at = 0; at < trace.length;) {
    const [kind, ...lengths] = [0, 4, 8, 12].map((field) => trace.readUInt32LE(at + field));
    const offset = Number(trace.readBigInt64LE(at + 16));
    at += headLength;
    const [path, other, bytes] = lengths.map((length) => trace.subarray(at, (at += length)));
    const paths = { path: pathIn(path!), other: pathIn(other!) };
    steps.push({ kind: String.fromCharCode(kind!), ...paths, offset, bytes: bytes! });
  }
  return steps;
}

/** Makes a change again, to simulated files. */
async function repeat(
  { kind, path, other, offset, bytes }: Step,
  files: SimulatedFiles,
  promises: Promises,
) {
  if (path === '/said') {
    const [id, revision] = bytes.toString().trim().split(' ');
    if (id) promises.set(id, Number(revision));
    return;
  }
  const status = await files.stat(path);
  switch (kind) {
    case 'o':
      await files.open(path, 'write');
      if (offset === 0) await (await files.open(path, 'write')).truncate(0);
      return;
    case 'm':
      return files.makeFolder(path);
    case 'r':
      return files.rename(path, other);
    case 'l':
      return files.link(path, other);
    case 'u':
      return files.remove(path);
  }
  // A file without a name is lost in any case.
  if (status === undefined) return;
  if (status.isFolder) return files.flushFolder(path);
  const file = await files.open(path, 'write');
  if (kind === 'w') await file.write(bytes, offset);
  else if (kind === 't') await file.truncate(offset);
  else await file.flush();
}

/** Replaces the content of a folder. */
async function write(files: SimulatedFiles, folder: string, path = '/'): Promise<void> {
  const target = join(folder, path);
  if (path === '/') rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  for (const name of await files.list(path)) {
    const child = join(path, name);
    if ((await files.stat(child))!.isFolder) await write(files, folder, child);
    else writeFileSync(join(folder, child), await files.readFile(child));
  }
}

/** Nobody is waited for: all processes before have ended. */
const { scheduler, ...rest } = nodeSystem();
const system = { ...rest, scheduler: { ...scheduler, pause: async () => {} } };

/** Compares a store with what its writers received, and writes to it. */
async function check(place: StoreLocation, promises: Promises): Promise<void> {
  const store = await place.open('the audit');
  const { damaged } = await store.verify();
  assert.deepEqual(damaged, []);
  for (const [id, promised] of promises) {
    const record = await store.read(id);
    if (promised > 0) assert.ok((record?.revision ?? 0) >= promised, `${id} is before ${promised}`);
    if (promised === 0) assert.equal(record, undefined);
    if (!record) continue;
    const { revision, snapshot, parts } = record;
    const lines = await store.journal(id, { from: 0, limit: 10_000 });
    const [part] = parts.map(({ value }) => (value as [number])[0]);
    assert.deepEqual([snapshot, part ?? 1, lines.length], [revision, revision, revision], id);
  }
  await store.create({ id: 'after', kind: 'k', createdAt: 1, status: 's', snapshot: 1 });
  await store.close();
}

import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { lowdbStore, sqliteStore, type StoreLocation } from '@dramaturg/host';
import { everythingIn } from '@dramaturg/testing';
import { describe, expect, test } from 'vitest';
import { dramaturg } from '../command.ts';
import { greeted, json, newStore, serve, transcriptOf } from './processes.ts';

/** `dramaturg copy`, and stores that are not in a folder of the command's own. */

async function contentOf(place: StoreLocation): Promise<unknown> {
  const reader = await place.read();
  try {
    return await everythingIn(reader);
  } finally {
    await reader.close();
  }
}

test('conversations go on in the copy, with their memories', async () => {
  const from = await newStore();
  const to = join(dirname(from), 'copy.db');
  await greeted(from, 'of-ada', 'ada');
  await writeFile(join(from, 'memory.json'), '{"memories":[]}');
  const printed = await dramaturg(['copy', from, to]);
  expect(printed).toMatchObject({ code: 0, stderr: '' });
  expect(printed.stdout).toMatch(
    /^✓ ".*copy\.db" has \d+ records and \d+ lines\.\n {2}the same content as ".*": SHA-256 [0-9a-f]{64}\n$/,
  );
  expect(await readFile(`${to}.memory.json`, 'utf8')).toBe('{"memories":[]}');
  expect(await dramaturg(['send', to, 'of-ada', 'Ada'])).toMatchObject({ code: 0 });
  expect(await transcriptOf(to, 'of-ada')).toHaveLength(3);
  expect(await transcriptOf(from, 'of-ada')).toHaveLength(1);
});

test('the path of a backup cannot change the terminal, also as JSON', async () => {
  const from = await newStore();
  await greeted(from, 'of-ada', 'ada');
  const target = join(dirname(from), 'backup\u009B31m\u202Egpj.db');
  const { stdout, code } = await dramaturg(['backup', from, target, '--json']);
  expect(code).toBe(0);
  expect(stdout).not.toMatch(/[\u009B\u202E]/u);
  expect(JSON.parse(stdout)).toEqual({ target });
});

describe('the file of a sqlite store', () => {
  test.each(['x.db', 'data.bin'])('may be anywhere: %s', async (name) => {
    const folder = join(dirname(await newStore()), 'data');
    await mkdir(folder);
    const file = join(folder, name);
    await (await sqliteStore(file).open('a program')).close();
    await serve(file, '--definition', 'customer-intake.plan.json');
    await greeted(file, 'of-ada', 'ada');
    expect(existsSync(`${file}.host.sock`)).toBe(true);
    expect((await json(['ps', file]))['instances']).toMatchObject([{ id: 'of-ada' }]);
    expect(await dramaturg(['send', file, 'of-ada', 'Ada'])).toMatchObject({ code: 0 });
    const copy = join(dirname(folder), 'backup.db');
    expect(await json(['backup', file, copy])).toEqual({ target: copy });
    expect(await json(['verify', copy])).toMatchObject({ damaged: [] });
  });

  test('in the folder of a store means the store', async () => {
    const store = await newStore();
    await dramaturg(['start', store, 'customer-intake.plan.json', '--store', 'sqlite']);
    await serve(store);
    const { instances } = await json(['ps', join(store, 'store.sqlite')]);
    expect(instances).toHaveLength(1);
  });

  test('is created by its ending, or after "sqlite:"', async () => {
    const folder = dirname(await newStore());
    for (const store of [join(folder, 'new.db'), `sqlite:${join(folder, 'new')}`]) {
      await greeted(store, 'of-ada', 'ada');
      expect(await json(['verify', store])).toMatchObject({ damaged: [] });
    }
    const header = await readFile(join(folder, 'new'));
    expect(header.toString('latin1', 0, 15)).toBe('SQLite format 3');
  });
});

describe('a wrong call changes nothing, and says what to do', () => {
  async function refused(...args: string[]): Promise<string> {
    const { stdout, stderr, code } = await dramaturg(args);
    expect({ stdout, code: code! > 0 }).toEqual({ stdout: '', code: true });
    return stderr;
  }

  test('there is no source', async () => {
    const store = await newStore();
    const to = join(dirname(store), 'to');
    expect(await refused('copy', store, to)).toContain(`error: There is no store "${store}".\n`);
    expect(existsSync(to)).toBe(false);
  });

  test('the source is the target', async () => {
    const store = await newStore();
    await greeted(store, 'of-ada');
    expect(await refused('copy', store, join(store, '../store'))).toMatch(/are the same store/);
  });

  test('the target is another store', async () => {
    const [store, other] = [await newStore(), await newStore()];
    await greeted(store, 'of-ada');
    await greeted(other, 'of-bob');
    const before = await contentOf(lowdbStore(other));
    expect(await refused('copy', store, other)).toMatch(/not a copy of the source\. Nothing was/);
    expect(await contentOf(lowdbStore(other))).toEqual(before);
  });

  test('a host runs the source', async () => {
    const store = await newStore();
    await serve(store);
    const to = join(dirname(store), 'to.db');
    expect(await refused('copy', store, to)).toContain('is in use by "dramaturg serve"');
    expect(existsSync(to)).toBe(false);
  });

  test('the kind does not fit the target', async () => {
    const store = await newStore();
    await greeted(store, 'of-ada');
    const to = join(dirname(store), 'to.db');
    expect(await refused('copy', store, to, '--store', 'lowdb')).toMatch(/"sqlite", not "lowdb"/);
    expect(existsSync(to)).toBe(false);
  });

  test('the address is of an unknown kind, or has a password', async () => {
    const store = await newStore();
    await greeted(store, 'of-ada');
    expect(await refused('copy', store, 'mysql://db/app')).toMatch(/no stores at addresses of the/);
    const address = 'postgres://app:Vx3kq9Zt@db.example.com/app';
    for (const args of [
      ['copy', store, address],
      ['ps', address],
      ['inspect', '--attach', address],
    ]) {
      const stderr = await refused(...args);
      expect(stderr).toContain('PGPASSWORD');
      expect(stderr).not.toContain('Vx3kq9Zt');
    }
  });

  test('a folder has only the file of a store', async () => {
    const folder = dirname(await newStore());
    await (await sqliteStore(join(folder, 'x.db')).open('a program')).close();
    expect(await refused('ps', folder)).toContain(`name its file "${join(folder, 'x.db')}"`);
  });
});

import { existsSync } from 'node:fs';
import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dramaturg } from '../command.ts';
import { greeted, json, newStore, serve, transcriptOf } from './processes.ts';

/** Copies of a store, and its repair: backup, restore, verify and repair. */

const intake = 'customer-intake.plan.json';

async function storeOf(kind: string, isServed = false): Promise<string> {
  const store = await newStore();
  if (isServed) await serve(store, '--store', kind, '--definition', intake);
  else await dramaturg(['start', store, intake, '--store', kind, '--id', 'first']);
  await greeted(store, 'of-ada', 'ada');
  return store;
}

const beside = (store: string, name: string) => join(dirname(store), name);

describe.each(['lowdb', 'sqlite'])('a %s store', (kind) => {
  test.each([false, true])('is backed up, verified and restored (served: %s)', async (isServed) => {
    const store = await storeOf(kind, isServed);
    const [copy, restored] = [beside(store, 'backups/monday'), beside(store, 'restored')];
    expect(await json(['backup', store, copy])).toEqual({ target: copy });
    await dramaturg(['send', store, 'of-ada', 'Ada']);
    const sound = await json(['verify', copy]);
    expect(sound).toMatchObject({ damaged: [] });
    expect(await json(['verify', store])).toMatchObject({ records: sound['records'], damaged: [] });
    const { records, lines } = sound;
    const other = kind === 'lowdb' ? 'sqlite' : 'lowdb';
    expect(await json(['restore', copy, restored, '--store', other])).toMatchObject({
      records,
      lines,
      skipped: [],
    });
    expect(await json(['verify', restored])).toEqual(sound);
    expect(await transcriptOf(restored, 'of-ada')).toHaveLength(1);
    expect((await transcriptOf(store, 'of-ada')).length).toBeGreaterThan(1);
    expect(await dramaturg(['send', restored, 'of-ada', 'Ada'])).toMatchObject({ code: 0 });
  });

  test('is printed in words', async () => {
    const store = await storeOf(kind);
    const [copy, restored] = [beside(store, 'copy'), beside(store, 'restored')];
    const printed = async (...args: string[]) => (await dramaturg(args)).stdout;
    expect(await printed('backup', store, copy)).toBe(`✓ "${copy}" is a verified copy.\n`);
    expect(await printed('verify', copy)).toMatch(/^✓ \d records and \d+ lines, all sound\.\n$/);
    expect(await printed('restore', copy, restored)).toMatch(/" has \d records and \d+ lines\.\n/);
    expect(await printed('repair', copy)).toBe('✓ There is nothing to repair.\n');
    expect(await json(['repair', copy])).toEqual({ steps: [], done: false });
  });

  test('is copied to a new path only', async () => {
    const store = await storeOf(kind);
    const [file, link] = [beside(store, 'target'), beside(store, 'link to nothing')];
    await writeFile(file, 'mine');
    await symlink(beside(store, 'nothing'), link);
    for (const target of [file, link])
      for (const name of ['backup', 'restore'])
        expect(await dramaturg([name, store, target])).toEqual({
          code: 2,
          stdout: '',
          stderr:
            `error: "${target}" exists already. Nothing was changed.\n` +
            'hint: Name a path where nothing is.\n',
        });
    expect(await readFile(file, 'utf8')).toBe('mine');
    expect(await readdir(dirname(store))).not.toContain('nothing');
  });

  test('is not backed up into its own folder, also by way of a link', async () => {
    const store = await storeOf(kind);
    const before = await readdir(store);
    const link = beside(store, 'link');
    await symlink(store, link);
    for (const target of [
      join(store, 'copy'),
      join(store, 'data/records/copy'),
      join(link, 'copy'),
    ])
      expect(await dramaturg(['backup', store, target])).toEqual({
        code: 2,
        stdout: '',
        stderr:
          `error: "${target}" is in the folder of the store itself: the copy would be lost with it. Nothing was changed.\n` +
          `hint: Name a path outside of "${store}".\n`,
      });
    expect(await readdir(store)).toEqual(before);
  });

  test.skipIf(process.platform !== 'linux')(
    'is not copied to a path that cannot be created',
    async () => {
      const store = await storeOf(kind);
      for (const name of ['backup', 'restore']) {
        const failed = await dramaturg([name, store, '/proc/none/copy']);
        expect(failed).toMatchObject({ code: 7, stdout: '' });
        expect(failed.stderr).toMatch(/^error: .*\/proc\/none\/copy.*ENOENT/);
      }
    },
  );

  test('is restored and repaired only while no host runs it', async () => {
    const store = await storeOf(kind, true);
    const target = beside(store, 'target');
    const restored = await dramaturg(['restore', store, target, '--json']);
    expect(restored.code).toBe(7);
    expect(JSON.parse(restored.stdout)).toMatchObject({ code: 'store/owned' });
    expect(restored.stderr).toContain('The store is in use by "dramaturg serve"');
    expect(existsSync(target)).toBe(false);
    expect(await dramaturg(['repair', store, '--yes'])).toEqual({
      code: 7,
      stdout: '',
      stderr:
        `error: A host runs the store "${store}".\n` +
        'hint: Stop it first: a store is repaired while nobody uses it.\n',
    });
  });
});

test.each([
  ['backup', ['to'], 'target'],
  ['restore', ['to'], 'to'],
  ['verify', [], undefined],
  ['repair', [], undefined],
] as const)('wrong arguments of %s are reported', async (name, rest, missing) => {
  const store = await newStore();
  expect(await dramaturg([name, store, ...rest])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(`error: There is no store "${store}".\n`),
  });
  expect(existsSync(store)).toBe(false);
  const without = missing === undefined ? [name] : [name, store];
  const argument = missing ?? 'store';
  expect(await dramaturg(without)).toEqual({
    code: 2,
    stdout: '',
    stderr:
      `error: Missing required argument '${argument}'.\n` +
      `hint: Run "dramaturg ${name} --help" to see the arguments and options.\n`,
  });
});

test('a lowdb store without its store.json is repaired with --yes only', async () => {
  const store = await storeOf('lowdb');
  const before = await json(['verify', store]);
  const manifest = join(store, 'store.json');
  await rm(manifest);
  const verified = await dramaturg(['verify', store]);
  expect(verified).toMatchObject({ code: 7, stdout: '' });
  expect(verified.stderr).toContain(`"dramaturg repair ${store}" says what can be done.\n`);
  const planned = await dramaturg(['repair', store]);
  expect(planned).toMatchObject({ code: 7, stderr: '' });
  expect(planned.stdout).toMatch(
    /^1 step:\n1\. .*store\.json is missing.*\n {3}Continues with what is left/,
  );
  expect(planned.stdout).toContain(`To do this: dramaturg repair ${store} --yes\n`);
  expect(existsSync(manifest)).toBe(false);
  const repaired = await dramaturg(['repair', store, '--yes', '--json']);
  expect(repaired.code).toBe(0);
  expect(JSON.parse(repaired.stdout)).toEqual({
    steps: [
      {
        finding: expect.stringContaining('store.json'),
        action: expect.stringContaining('Continues with what is left'),
      },
    ],
    done: true,
  });
  expect(await json(['verify', store])).toEqual(before);
});

test('a damaged record is found, left out by --skip-damaged, and deleted by a repair', async () => {
  const store = await storeOf('lowdb');
  const records = join(store, 'data', 'records');
  expect(await readdir(records)).toContain('of-ada.json');
  await rm(join(records, 'of-ada.json'));
  const verified = await dramaturg(['verify', store, '--json']);
  expect(verified).toMatchObject({ code: 7, stderr: '' });
  expect(JSON.parse(verified.stdout)).toMatchObject({ damaged: [{ id: 'of-ada' }] });
  const target = beside(store, 'target');
  const refused = await dramaturg(['restore', store, target]);
  expect(refused).toMatchObject({ code: 7, stdout: '' });
  expect(existsSync(target)).toBe(false);
  expect(await json(['restore', store, target, '--skip-damaged'])).toMatchObject({
    skipped: [{ id: 'of-ada' }],
  });
  expect((await dramaturg(['repair', store, '--yes'])).stdout).toContain('Deletes the record.');
  expect(await json(['verify', store])).toMatchObject({ damaged: [] });
  expect(await dramaturg(['show', store, 'of-ada'])).toMatchObject({ code: 2 });
});

import { existsSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dramaturg, folderWith } from '../command.ts';
import { greeted, json, newStore, serve } from './processes.ts';

/** A person's data: erase and export. */

const secret = 'Ada Augusta King-Noel';

/** Creates a store with conversations of two contacts. One of them has said something. */
async function storeOf(kind: string, isServed: boolean): Promise<string> {
  const store = await newStore();
  const intake = 'customer-intake.plan.json';
  if (isServed) await serve(store, '--store', kind, '--definition', intake);
  else await dramaturg(['start', store, intake, '--store', kind, '--contact', 'carl']);
  await greeted(store, 'of-ada', 'ada');
  await greeted(store, 'of-bob', 'bob');
  await dramaturg(['send', store, 'of-ada', secret]);
  return store;
}

async function namesOfFilesWith(folder: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name);
    if (statSync(path).isFile() && (await readFile(path)).includes(text)) found.push(name);
  }
  return found;
}

describe.each([
  ['lowdb', false],
  ['lowdb', true],
  ['sqlite', false],
  ['sqlite', true],
] as const)('of a %s store (served: %s)', (kind, isServed) => {
  test('a contact is exported, erased, and no longer in any file', async () => {
    const store = await storeOf(kind, isServed);
    const exported = await dramaturg(['export', store, 'ada']);
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(exported.stdout)).toMatchObject({
      instances: [{ id: 'of-ada' }],
      memories: [],
    });
    expect(exported.stdout).toContain(secret);
    expect(exported.stdout).not.toContain('of-bob');
    const refused = await dramaturg(['erase', store, 'ada', '--json']);
    expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining('--end') });
    expect(JSON.parse(refused.stdout)).toMatchObject({ code: 'host/instances-running' });
    expect(await namesOfFilesWith(store, secret)).not.toEqual([]);
    expect(await json(['erase', store, 'ada', '--end'])).toMatchObject({
      instances: 1,
      ended: 1,
      savePoints: 0,
      memories: 0,
      unreadable: 0,
    });
    expect(await namesOfFilesWith(store, secret)).toEqual([]);
    expect(await dramaturg(['show', store, 'of-ada'])).toMatchObject({ code: 2 });
    expect(await json(['show', store, 'of-bob'])).toMatchObject({ state: 'WAITING_FOR_REPLY' });
    const again = await dramaturg(['erase', store, 'ada']);
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(again.stdout).toMatch(/^The store has no instance of "ada"\.\nThe store had /);
    const nothing = await dramaturg(['export', store, 'ada']);
    expect(JSON.parse(nothing.stdout)).toEqual({ contact: 'ada', instances: [], memories: [] });
  });
});

test('an erasure is refused in words, and printed in words', async () => {
  const store = await storeOf('lowdb', false);
  expect(await dramaturg(['erase', store, 'ada'])).toEqual({
    code: 6,
    stdout: '',
    stderr:
      'error: 1 instance of the contact has not ended: "of-ada". Nothing was erased.\n' +
      `hint: End them too: dramaturg erase ${store} <contact> --end\n`,
  });
  const erased = await dramaturg(['erase', store, 'ada', '--end']);
  expect(erased.stdout).toMatch(
    /^Erased: 1 instance \(1 ended now\) with \d+ lines, 0 save points, 0 memories\.\nThe store had .* and has .*\.\n$/,
  );
});

test('an export is written to a new file only', async () => {
  const store = await newStore();
  await greeted(store, 'of-ada', 'ada');
  const file = join(await folderWith({}), 'ada.json');
  const write = () => dramaturg(['export', store, 'ada', '--output', file]);
  expect(await write()).toEqual({ code: 0, stdout: '', stderr: '' });
  const text = await readFile(file, 'utf8');
  expect(JSON.parse(text)).toMatchObject({ instances: [{ id: 'of-ada' }] });
  expect(await write()).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: "${file}" exists already.\nhint: Name a new file.\n`,
  });
  expect(await readFile(file, 'utf8')).toBe(text);
});

test('recordings of the contact are erased, and a missing folder of them erases nothing', async () => {
  const store = await storeOf('lowdb', false);
  const erase = (folder: string) =>
    dramaturg(['erase', store, 'ada', '--end', '--recordings', folder, '--json']);
  const missing = await erase(join(store, 'none'));
  expect(missing.code).toBe(2);
  expect(missing.stdout + missing.stderr).toContain('Nothing was erased.');
  expect(await json(['show', store, 'of-ada'])).toMatchObject({ state: 'WAITING_FOR_REPLY' });
  const recordings = join(dirname(store), 'recordings');
  await mkdir(recordings);
  for (const contact of ['ada', 'bob']) {
    const file = join(recordings, `${contact}.recording`);
    const record = ['--record', file, '--contact', contact];
    await dramaturg(['run', 'customer-intake.plan.json', ...record], { input: `${contact}\n` });
  }
  await writeFile(join(recordings, 'notes.txt'), 'mine');
  expect(JSON.parse((await erase(recordings)).stdout)).toMatchObject({
    instances: 1,
    recordings: 1,
    unlabelled: 0,
  });
  expect((await readdir(recordings)).toSorted()).toEqual(['bob.recording', 'notes.txt']);
});

test.each([
  ['erase', 'Run "dramaturg erase --help" to see the arguments and options.'],
  ['export', 'Add the address of the person, or export a workflow with --to aws.'],
])('wrong arguments of %s are reported', async (name, hint) => {
  const store = await newStore();
  expect(await dramaturg([name, store, 'ada'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(`error: There is no store "${store}".\n`),
  });
  expect(existsSync(store)).toBe(false);
  await greeted(store, 'of-ada', 'ada');
  expect(await dramaturg([name, store])).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: Missing required argument 'contact'.\nhint: ${hint}\n`,
  });
  expect(await dramaturg([name, store, ' '])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'error: The contact is blank.\n',
  });
});

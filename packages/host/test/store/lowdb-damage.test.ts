import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Creates a store with the records 'good' and 'bad', in their files or only in the journal. */
async function twoRecords({ folded }: { folded: boolean }) {
  const folder = join(temporaryFolder(), 'store');
  const store = await lowdbStore(folder).open('the test');
  for (const id of ['good', 'bad']) {
    await store.create({ id, kind: 'k', createdAt: 1, status: 's', snapshot: 1, journal: ['one'] });
    if (folded) await store.compact();
    if (folded) cpSync(join(folder, 'data', 'records', `${id}.json`), `${folder}-older`);
    await store.commit({ id, expectedRevision: 1, snapshot: 2, journal: ['two'] });
    await store.commit({ id, expectedRevision: 2, snapshot: 3, transcript: ['hello'] });
  }
  await store.commit({ id: 'good', expectedRevision: 3 });
  if (folded) await store.close();
  const kept = folded ? folder : await deadCopy(folder);
  if (!folded) await store.close();
  return { folder: kept, record: join(kept, 'data', 'records', 'bad.json') };
}

/** Copies a store that is open: the files that a killed process leaves. */
async function deadCopy(folder: string): Promise<string> {
  const copy = join(temporaryFolder(), 'store');
  cpSync(folder, copy, { recursive: true });
  const lock = join(copy, 'owner.lock');
  const claim = JSON.parse(readFileSync(lock, 'utf8'));
  writeFileSync(lock, JSON.stringify({ ...claim, process: { ...claim.process, began: '1' } }));
  return copy;
}

function journalIn(folder: string): string {
  const data = join(folder, 'data');
  return join(
    data,
    readdirSync(data).find((name) => name.startsWith('journal-'))!,
  );
}

function flip(path: string, text: string): void {
  const bytes = readFileSync(path);
  const at = bytes.indexOf(text);
  bytes[at] = bytes[at]! ^ 1;
  writeFileSync(path, bytes);
}

/** Changes the lines of the journal of a store. The first three are of the record 'good', the next three of 'bad'. */
function changeJournal(record: string, change: (lines: string[]) => string[]): void {
  const journal = journalIn(join(record, '..', '..', '..'));
  const text = readFileSync(journal, 'latin1');
  writeFileSync(journal, change(text.split('\n')).join('\n'), 'latin1');
}

/** @param line its number, from 1 */
function flipInJournal(record: string, line: number, text = '"flushed"'): void {
  changeJournal(record, (lines) => {
    const found = lines[line - 1]!;
    const at = found.indexOf(text) + text.length - 2;
    const flipped = String.fromCodePoint(found.codePointAt(at)! ^ 1);
    return lines.with(line - 1, `${found.slice(0, at)}${flipped}${found.slice(at + 1)}`);
  });
}

describe('a damaged record is set aside, and the others are served', () => {
  const damages: Record<string, [folded: boolean, harm: (record: string) => void]> = {
    'a flipped bit in its file': [true, (at) => flip(at, '"snapshot"')],
    'an empty file': [true, (at) => writeFileSync(at, '')],
    'half of its file': [true, (at) => truncateSync(at, 100)],
    'a file of zeros': [true, (at) => writeFileSync(at, '\0'.repeat(99))],
    'a file that is not a record': [true, (at) => writeFileSync(at, '[]')],
    'a folder instead of its file': [
      true,
      (at) => {
        rmSync(at);
        mkdirSync(at);
      },
    ],
    'no file': [true, (at) => rmSync(at)],
    'a record of another id': [true, (at) => cpSync(join(at, '..', 'good.json'), at)],
    'an older file': [true, (at) => cpSync(`${join(at, '..', '..', '..')}-older`, at)],
    'a changed line of its journal': [true, (at) => flip(at, '"one"')],
    'a flipped bit in the journal of the store': [false, (at) => flipInJournal(at, 4)],
    'a flipped bit in an id in the journal of the store': [
      false,
      (at) => flipInJournal(at, 5, '"id":"bad"'),
    ],
    'a flipped bit in its last line of the journal': [false, (at) => flipInJournal(at, 6)],
    'a missing line of the journal': [
      false,
      (at) => changeJournal(at, (lines) => lines.toSpliced(5, 1)),
    ],
    'its first line of the journal is zeros': [
      false,
      (at) => changeJournal(at, (lines) => lines.with(3, '\0'.repeat(lines[3]!.length))),
    ],
  };
  test.each(Object.entries(damages))('%s', async (_, [folded, harm]) => {
    const { folder, record } = await twoRecords({ folded });
    harm(record);
    const store = await lowdbStore(folder).open('the test, again');
    const damaged = await store.damaged();
    expect(damaged).toEqual([
      {
        id: 'bad',
        reason: expect.stringMatching(/^[A-Z].*\.$/),
        where: join(folder, 'data', 'damaged', 'bad.json'),
      },
    ]);
    const refused = { code: 'store/damaged', message: expect.stringContaining(damaged[0]!.where) };
    await expect(store.read('bad')).rejects.toMatchObject(refused);
    await expect(store.journal('bad', { from: 0, limit: 1 })).rejects.toMatchObject(refused);
    await expect(store.commit({ id: 'bad', expectedRevision: 3 })).rejects.toMatchObject(refused);
    await expect(
      store.create({ id: 'bad', kind: 'k', createdAt: 1, status: 's', snapshot: 1 }),
    ).rejects.toMatchObject(refused);
    expect((await store.list({}, { limit: 9 })).items.map(({ id }) => id)).toEqual(['good']);
    expect(await store.read('good')).toMatchObject({ snapshot: 3, journalLength: 2 });
    await store.close();
    const third = await lowdbStore(folder).open('the test, once more');
    expect(await third.damaged()).toEqual(damaged);
    await third.close();
  });
});

test('a file that is damaged while the store is open is reported, and written again with the record', async () => {
  const { folder, record } = await twoRecords({ folded: true });
  const store = await lowdbStore(folder).open('the test, again');
  flip(record, '"one"');
  expect((await store.verify()).damaged).toMatchObject([{ id: 'bad', where: record }]);
  // It is in memory.
  expect(await store.read('bad')).toMatchObject({ revision: 3 });
  await store.commit({ id: 'bad', expectedRevision: 3 });
  await store.compact();
  expect((await store.verify()).damaged).toEqual([]);
  await store.close();
});

test('an incomplete last line of the journal is ignored, because it was never acknowledged', async () => {
  const { folder } = await twoRecords({ folded: false });
  const sound = readFileSync(journalIn(folder), 'utf8').replaceAll('\0', '');
  const next = '{"sum":"00000000","number":8,"id":"bad","bef';
  for (const tail of ['{', next, '\0\0\0\0', '\0\0\0\n', `${next}\0\0\n`]) {
    const copy = join(temporaryFolder(), 'store');
    cpSync(folder, copy, { recursive: true });
    writeFileSync(journalIn(copy), sound + tail);
    const store = await lowdbStore(copy).open('the test, again');
    expect(await store.read('bad')).toMatchObject({ revision: 3, snapshot: 3 });
    expect(await store.damaged()).toEqual([]);
    await store.commit({ id: 'bad', expectedRevision: 3, snapshot: 4 });
    await store.close();
    const again = await lowdbStore(copy).open('the test, to see');
    expect(await again.read('bad')).toMatchObject({ revision: 4, snapshot: 4 });
    await again.close();
  }
});

describe('a store that has lost a file says so', () => {
  const reasons: Record<string, [folded: boolean, name: string]> = {
    'its manifest': [true, 'store.json'],
    'its data folder': [true, 'data'],
    'its journal': [false, 'data/journal-1-1.jsonl'],
  };
  test.each(Object.entries(reasons))('%s', async (_, [folded, name]) => {
    const { folder } = await twoRecords({ folded });
    rmSync(join(folder, name), { recursive: true });
    const refused = { code: 'store/damaged', message: expect.stringContaining('missing') };
    await expect(lowdbStore(folder).open('the test, again')).rejects.toMatchObject(refused);
    await expect(lowdbStore(folder).read()).rejects.toMatchObject({ code: 'store/damaged' });
    expect(existsSync(join(folder, 'owner.lock'))).toBe(
      !folded && name !== 'data/journal-1-1.jsonl',
    );
  });

  test('everything but its lock', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'owner.lock'), '{}');
    await expect(lowdbStore(folder).open('the test')).rejects.toMatchObject({
      code: 'store/damaged',
    });
  });

  test('everything but its manifest', async () => {
    const { folder } = await twoRecords({ folded: true });
    for (const name of readdirSync(folder))
      if (name !== 'store.json') rmSync(join(folder, name), { recursive: true });
    await expect(lowdbStore(folder).open('the test')).rejects.toMatchObject({
      code: 'store/damaged',
    });
  });
});

test('lost writes of unknown records: the store is read, but not opened', async () => {
  const { folder, record } = await twoRecords({ folded: false });
  changeJournal(record, (lines) => [...lines.slice(0, 3), '\0'.repeat(300), ...lines.slice(6)]);
  await expect(lowdbStore(folder).open('the test, again')).rejects.toMatchObject({
    code: 'store/damaged',
    message: expect.stringContaining('3 writes'),
  });
  const reader = await lowdbStore(folder).read();
  expect(await reader.read('good')).toMatchObject({ revision: 4 });
  expect((await reader.damaged()).map(({ id }) => id)).toEqual([undefined]);
  await reader.close();
});

test('a changed file without its line sum is accepted', async () => {
  const { folder, record } = await twoRecords({ folded: true });
  const { sum: _, ...fields } = JSON.parse(readFileSync(record, 'utf8'));
  writeFileSync(record, JSON.stringify({ ...fields, status: 'mended' }));
  const store = await lowdbStore(folder).open('the test, again');
  expect(await store.read('bad')).toMatchObject({ status: 'mended', revision: 3 });
  await store.close();
});

test('a repaired file that is moved back is a record again', async () => {
  const { folder, record } = await twoRecords({ folded: true });
  const text = readFileSync(record, 'utf8');
  writeFileSync(record, 'no record');
  const found = await lowdbStore(folder).open('the test, again');
  await expect(found.read('bad')).rejects.toMatchObject({ code: 'store/damaged' });
  await found.close();
  const damaged = join(folder, 'data', 'damaged');
  expect(readFileSync(join(damaged, 'bad.json'), 'utf8')).toBe('no record');
  expect(JSON.parse(readFileSync(join(damaged, 'bad.damage.json'), 'utf8'))).toMatchObject({
    id: 'bad',
    reason: 'Its file bad.json has other content.',
  });
  writeFileSync(record, text);
  rmSync(join(damaged, 'bad.json'));
  const reader = await lowdbStore(folder).read();
  expect(await reader.read('bad')).toMatchObject({ revision: 3 });
  await reader.close();
  const store = await lowdbStore(folder).open('the test, once more');
  expect(await store.damaged()).toEqual([]);
  expect(await store.read('bad')).toMatchObject({ revision: 3 });
  await store.close();
  expect(readdirSync(damaged)).toEqual([]);
});

test('writes of a damaged record that were only in the journal are kept beside it', async () => {
  const { folder, record } = await twoRecords({ folded: true });
  const open = await lowdbStore(folder).open('the test, again');
  await open.commit({ id: 'bad', expectedRevision: 3, snapshot: 4 });
  const kept = await deadCopy(folder);
  await open.close();
  rmSync(join(kept, record.slice(folder.length)));
  const store = await lowdbStore(kept).open('the test, once more');
  await store.close();
  const note = join(kept, 'data', 'damaged', 'bad.damage.json');
  expect(JSON.parse(readFileSync(note, 'utf8'))).toMatchObject({
    reason: 'Its file bad.json is missing.',
    writes: [{ type: 'commit', snapshot: '4' }],
  });
});

test('a damaged record is deleted with its file and its note', async () => {
  const { folder, record } = await twoRecords({ folded: true });
  truncateSync(record, 100);
  const store = await lowdbStore(folder).open('the test, again');
  expect(await store.delete('bad')).toBe(true);
  expect(await store.delete('bad')).toBe(false);
  expect(readdirSync(join(folder, 'data', 'damaged'))).toEqual([]);
  await store.create({ id: 'bad', kind: 'k', createdAt: 1, status: 's', snapshot: 'new' });
  await store.close();
  const again = await lowdbStore(folder).open('the test, once more');
  expect(await again.read('bad')).toMatchObject({ snapshot: 'new' });
  await again.close();
});

test('incomplete files of a killed process are removed when the store is opened', async () => {
  const { folder } = await twoRecords({ folded: true });
  writeFileSync(join(folder, 'data', 'temporary', '7'), 'half a rec');
  writeFileSync(join(folder, 'owner.lock.some-token'), '');
  writeFileSync(join(folder, 'data', 'journal-0-7.jsonl'), '');
  const store = await lowdbStore(folder).open('the test, again');
  expect(readdirSync(join(folder, 'data', 'temporary'))).toEqual([]);
  expect(existsSync(join(folder, 'owner.lock.some-token'))).toBe(false);
  expect(existsSync(join(folder, 'data', 'journal-0-7.jsonl'))).toBe(false);
  expect(await store.damaged()).toEqual([]);
  await store.close();
});

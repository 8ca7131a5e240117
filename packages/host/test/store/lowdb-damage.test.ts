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

/** Creates a store with the records 'good' and 'bad', folded or only in the journal. Both have lines in a file of their own. */
async function twoRecords({ compacted }: { compacted: boolean }) {
  const folder = join(temporaryFolder(), 'store');
  const store = await lowdbStore(folder).open('the test');
  const line = 'x'.repeat(compacted ? 70_000 : 1);
  for (const id of ['good', 'bad']) {
    const journal = ['one', line];
    await store.create({ id, kind: 'k', createdAt: 1, status: 's', snapshot: 1, journal });
    if (compacted) await store.compact();
    if (compacted)
      cpSync(join(folder, 'data', 'records', id), `${folder}-older`, { recursive: true });
    await store.commit({ id, expectedRevision: 1, snapshot: 2, journal: ['two'] });
    await store.commit({ id, expectedRevision: 2, snapshot: 3, transcript: ['hello'] });
  }
  await store.commit({ id: 'good', expectedRevision: 3 });
  if (compacted) await store.close();
  const kept = compacted ? folder : await deadCopy(folder);
  if (!compacted) await store.close();
  return { folder: kept, record: join(kept, 'data', 'records', 'bad') };
}

function linesIn(record: string): string {
  return join(
    record,
    readdirSync(record).find((name) => name.startsWith('lines-'))!,
  );
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
function flipInJournal(record: string, line: number, text = '"before"'): void {
  changeJournal(record, (lines) => {
    const found = lines[line - 1]!;
    const at = found.indexOf(text) + text.length - 2;
    const flipped = String.fromCodePoint(found.codePointAt(at)! ^ 1);
    return lines.with(line - 1, `${found.slice(0, at)}${flipped}${found.slice(at + 1)}`);
  });
}

describe('a damaged record is set aside, and the others are served', () => {
  const damages: Record<string, [compacted: boolean, harm: (record: string) => void]> = {
    'a flipped bit in record.json': [true, (at) => flip(join(at, 'record.json'), '"snapshot"')],
    'an empty record.json': [true, (at) => writeFileSync(join(at, 'record.json'), '')],
    'half of a record.json': [true, (at) => truncateSync(join(at, 'record.json'), 100)],
    'a record.json of zeros': [
      true,
      (at) => writeFileSync(join(at, 'record.json'), '\0'.repeat(99)),
    ],
    'a record.json that is not a record': [
      true,
      (at) => writeFileSync(join(at, 'record.json'), '[]'),
    ],
    'a folder instead of record.json': [
      true,
      (at) => {
        rmSync(join(at, 'record.json'));
        mkdirSync(join(at, 'record.json'));
      },
    ],
    'no record.json': [true, (at) => rmSync(join(at, 'record.json'))],
    'no file of its lines': [true, (at) => rmSync(linesIn(at))],
    'half of a file of its lines': [true, (at) => truncateSync(linesIn(at), 300)],
    'other lines': [
      true,
      (at) => writeFileSync(linesIn(at), JSON.stringify({ journal: ['one'], transcript: [] })),
    ],
    'a record of another id': [
      true,
      (at) => cpSync(join(at, '..', 'good', 'record.json'), join(at, 'record.json')),
    ],
    'no folder': [true, (at) => rmSync(at, { recursive: true })],
    'an older record.json': [
      true,
      (at) =>
        cpSync(join(`${join(at, '..', '..', '..')}-older`, 'record.json'), join(at, 'record.json')),
    ],
    'a changed line of a journal': [true, (at) => flip(linesIn(at), 'one')],
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
  test.each(Object.entries(damages))('%s', async (_, [compacted, harm]) => {
    const { folder, record } = await twoRecords({ compacted });
    harm(record);
    const store = await lowdbStore(folder).open('the test, again');
    // Files of a record are read when it is used.
    await store.journal('bad', { from: 0, limit: 9 }).catch(() => undefined);
    await store.transcript('bad', { from: 0, limit: 9 }).catch(() => undefined);
    const damaged = await store.damaged();
    expect(damaged).toEqual([
      {
        id: 'bad',
        reason: expect.stringMatching(/^[A-Z].*\.$/),
        where: join(folder, 'data', 'damaged', 'bad'),
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
    expect(await store.read('good')).toMatchObject({ snapshot: 3, journalLength: 3 });
    await store.close();
    const third = await lowdbStore(folder).open('the test, once more');
    expect(await third.damaged()).toEqual(damaged);
    await third.close();
  });
});

test('a record that is damaged while the store is open is set aside when the damage is detected', async () => {
  const { folder, record } = await twoRecords({ compacted: true });
  const store = await lowdbStore(folder).open('the test, again');
  flip(linesIn(record), '"one"');
  await expect(store.journal('bad', { from: 0, limit: 9 })).rejects.toMatchObject({
    code: 'store/damaged',
  });
  expect(await store.damaged()).toMatchObject([{ id: 'bad' }]);
  await expect(store.read('bad')).rejects.toMatchObject({ code: 'store/damaged' });
  expect(await store.read('good')).toMatchObject({ revision: 4 });
  await store.close();
});

test('an incomplete last line of the journal is ignored, because it was never acknowledged', async () => {
  const { folder } = await twoRecords({ compacted: false });
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
  const reasons: Record<string, [compacted: boolean, name: string]> = {
    'its mark': [true, 'store.json'],
    'its manifest': [true, 'data/manifest.json'],
    'its data folder': [true, 'data'],
    'its journal': [false, 'data/journal-1-1.jsonl'],
  };
  test.each(Object.entries(reasons))('%s', async (_, [compacted, name]) => {
    const { folder } = await twoRecords({ compacted });
    rmSync(join(folder, name), { recursive: true });
    const refused = { code: 'store/damaged', message: expect.stringContaining('missing') };
    await expect(lowdbStore(folder).open('the test, again')).rejects.toMatchObject(refused);
    await expect(lowdbStore(folder).read()).rejects.toMatchObject({ code: 'store/damaged' });
    expect(existsSync(join(folder, 'owner.lock'))).toBe(
      !compacted && name !== 'data/journal-1-1.jsonl',
    );
  });

  test('everything but its lock', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'owner.lock'), '{}');
    await expect(lowdbStore(folder).open('the test')).rejects.toMatchObject({
      code: 'store/damaged',
    });
  });

  test('everything but its mark', async () => {
    const { folder } = await twoRecords({ compacted: true });
    for (const name of readdirSync(folder))
      if (name !== 'store.json') rmSync(join(folder, name), { recursive: true });
    await expect(lowdbStore(folder).open('the test')).rejects.toMatchObject({
      code: 'store/damaged',
    });
  });
});

test('lost writes of unknown records: the store is read, but not opened', async () => {
  const { folder, record } = await twoRecords({ compacted: false });
  changeJournal(record, (lines) => [...lines.slice(0, 3), '\0'.repeat(300), ...lines.slice(6)]);
  await expect(lowdbStore(folder).open('the test, again')).rejects.toMatchObject({
    code: 'store/damaged',
    message: expect.stringContaining('2 writes'),
  });
  const reader = await lowdbStore(folder).read();
  expect(await reader.read('good')).toMatchObject({ revision: 4 });
  expect((await reader.damaged()).map(({ id }) => id)).toEqual(['bad', undefined]);
  await reader.close();
});

test('a changed record.json without its line sum is accepted', async () => {
  const { folder, record } = await twoRecords({ compacted: true });
  const { sum: _, ...fields } = JSON.parse(readFileSync(join(record, 'record.json'), 'utf8'));
  writeFileSync(join(record, 'record.json'), JSON.stringify({ ...fields, status: 'mended' }));
  const store = await lowdbStore(folder).open('the test, again');
  expect(await store.read('bad')).toMatchObject({ status: 'mended', revision: 3 });
  await store.close();
});

test('a repaired folder that is moved back is a record again', async () => {
  const { folder, record } = await twoRecords({ compacted: true });
  const text = readFileSync(join(record, 'record.json'), 'utf8');
  writeFileSync(join(record, 'record.json'), '');
  const found = await lowdbStore(folder).open('the test, again');
  await expect(found.read('bad')).rejects.toMatchObject({ code: 'store/damaged' });
  await found.close();
  const aside = join(folder, 'data', 'damaged', 'bad');
  expect(JSON.parse(readFileSync(join(aside, 'damage.json'), 'utf8'))).toEqual({
    id: 'bad',
    reason: 'Its file record.json is not JSON.',
  });
  writeFileSync(join(aside, 'record.json'), text);
  cpSync(aside, record, { recursive: true });
  rmSync(aside, { recursive: true });
  const store = await lowdbStore(folder).open('the test, once more');
  expect(await store.damaged()).toEqual([]);
  expect(await store.read('bad')).toMatchObject({ revision: 3 });
  await store.close();
});

test('incomplete files of a killed process are removed when the store is opened', async () => {
  const { folder } = await twoRecords({ compacted: true });
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

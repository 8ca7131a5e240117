import {
  appendFileSync,
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

/** Creates a store with the records 'good' and 'bad', compacted or with its logs. */
async function twoRecords({ compacted }: { compacted: boolean }) {
  const folder = join(temporaryFolder(), 'store');
  const store = await lowdbStore(folder).open('the test');
  for (const id of ['good', 'bad']) {
    await store.create({ id, kind: 'k', createdAt: 1, status: 's', snapshot: 1, journal: ['one'] });
    await store.commit({ id, expectedRevision: 1, snapshot: 2, journal: ['two'] });
    await store.commit({ id, expectedRevision: 2, snapshot: 3, transcript: ['hello'] });
  }
  const record = join(folder, 'records', 'bad');
  if (!compacted) {
    // Copies the files while the store is open: the state that a killed process leaves.
    const copy = join(temporaryFolder(), 'store');
    cpSync(folder, copy, { recursive: true });
    rmSync(join(copy, 'owner.lock'));
    await store.close();
    return { folder: copy, record: join(copy, 'records', 'bad') };
  }
  await store.close();
  return { folder, record };
}

function flip(path: string, text: string): void {
  const bytes = readFileSync(path);
  const at = bytes.indexOf(text);
  bytes[at] = bytes[at]! ^ 1;
  writeFileSync(path, bytes);
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
    'no journal': [true, (at) => rmSync(join(at, 'journal.jsonl'))],
    'half of a transcript': [true, (at) => truncateSync(join(at, 'transcript.jsonl'), 3)],
    'a record of another id': [
      true,
      (at) => cpSync(join(at, '..', 'good', 'record.json'), join(at, 'record.json')),
    ],
    'a flipped bit in the log': [false, (at) => flip(join(at, 'log-a.jsonl'), '"snapshot":2')],
    'a flipped bit in the last line of the log': [
      false,
      (at) => flip(join(at, 'log-a.jsonl'), '"transcript"'),
    ],
    'a missing line of the log': [
      false,
      (at) => {
        const [first, , third] = readFileSync(join(at, 'log-a.jsonl'), 'utf8').split('\n');
        writeFileSync(join(at, 'log-a.jsonl'), `${first}\n${third}\n`);
      },
    ],
  };
  test.each(Object.entries(damages))('%s', async (_, [compacted, harm]) => {
    const { folder, record } = await twoRecords({ compacted });
    harm(record);
    const store = await lowdbStore(folder).open('the test, again');
    const damaged = await store.damaged();
    expect(damaged).toEqual([
      {
        id: 'bad',
        reason: expect.stringMatching(/^[A-Z].*\.$/),
        where: join(folder, 'damaged', 'bad'),
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

test('a record that is damaged while the store is open is set aside when the damage is detected', async () => {
  const { folder, record } = await twoRecords({ compacted: true });
  const store = await lowdbStore(folder).open('the test, again');
  flip(join(record, 'journal.jsonl'), '"one"');
  await expect(store.journal('bad', { from: 0, limit: 9 })).rejects.toMatchObject({
    code: 'store/damaged',
  });
  expect(await store.damaged()).toMatchObject([{ id: 'bad' }]);
  await expect(store.read('bad')).rejects.toMatchObject({ code: 'store/damaged' });
  expect(await store.read('good')).toMatchObject({ revision: 3 });
  await store.close();
});

test('an incomplete last line of a log is ignored, because it was never acknowledged', async () => {
  const { folder, record } = await twoRecords({ compacted: false });
  const log = join(record, 'log-a.jsonl');
  const whole = readFileSync(log, 'utf8');
  for (const tail of ['{', '{"sum":"00000000","first":4,"wri', '\0\0\0\0', '\0\0\0\n']) {
    writeFileSync(log, whole + tail);
    const store = await lowdbStore(folder).open('the test, again');
    expect(await store.read('bad')).toMatchObject({ revision: 3, snapshot: 3 });
    expect(await store.damaged()).toEqual([]);
    await store.close();
    rmSync(join(folder, 'records', 'bad'), { recursive: true });
    mkdirSync(record);
    writeFileSync(log, whole);
  }
  writeFileSync(log, `${whole}{`);
  const store = await lowdbStore(folder).open('the test, at last');
  await store.commit({ id: 'bad', expectedRevision: 3, snapshot: 4 });
  await store.close();
  const again = await lowdbStore(folder).open('the test, to see');
  expect(await again.read('bad')).toMatchObject({ revision: 4, snapshot: 4 });
  await again.close();
});

test('lines that record.json does not count are ignored', async () => {
  const { folder, record } = await twoRecords({ compacted: true });
  appendFileSync(join(record, 'journal.jsonl'), '"three"\n"fo');
  const store = await lowdbStore(folder).open('the test, again');
  await store.commit({ id: 'bad', expectedRevision: 3, journal: ['four'] });
  await store.close();
  expect(readFileSync(join(record, 'journal.jsonl'), 'utf8')).toBe('"one"\n"two"\n"four"\n');
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
  await (await lowdbStore(folder).open('the test, again')).close();
  const aside = join(folder, 'damaged', 'bad');
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
  writeFileSync(join(folder, 'temporary', '7'), 'half a rec');
  writeFileSync(join(folder, 'owner.lock.some-token'), '');
  mkdirSync(join(folder, 'records', 'never-made'));
  writeFileSync(join(folder, 'records', 'never-made', 'log-a.jsonl'), '{"sum":"');
  const store = await lowdbStore(folder).open('the test, again');
  expect(readdirSync(join(folder, 'temporary'))).toEqual([]);
  expect(existsSync(join(folder, 'owner.lock.some-token'))).toBe(false);
  expect(readdirSync(join(folder, 'records')).toSorted()).toEqual(['bad', 'good']);
  expect(await store.damaged()).toEqual([]);
  await store.close();
});

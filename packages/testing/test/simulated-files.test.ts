import { expect, test } from 'vitest';
import { SimulatedFiles, systemError } from '../src/simulated-files.ts';

const all = () => 0;
const nothing = () => 0.99;

async function written(files: SimulatedFiles, path: string, text: string) {
  const file = await files.open(path, 'write');
  await file.write(Buffer.from(text), 0);
  return file;
}

async function textIn(files: SimulatedFiles, path: string): Promise<string | undefined> {
  return (await files.stat(path)) && String(await files.readFile(path));
}

test('a power cut keeps what was flushed, and any part of the rest', async () => {
  const files = new SimulatedFiles();
  await files.makeFolder('/a');
  await files.flushFolder('/');
  const file = await written(files, '/a/one', 'flushed');
  await file.flush();
  await files.flushFolder('/a');
  await file.write(Buffer.from('FL'), 0);
  await written(files, '/a/two', 'no name');
  const outcomes = new Set<string | undefined>();
  let seed = 1;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  for (let cut = 0; cut < 100; cut += 1) {
    const left = files.cut(random);
    outcomes.add(await textIn(left, '/a/one'));
    outcomes.add(await textIn(left, '/a/two'));
  }
  expect([...outcomes]).toEqual(
    expect.arrayContaining(['flushed', 'FLushed', 'Flushed', undefined, '', 'no name', 'no ']),
  );
  expect(await textIn(files.cut(nothing), '/a/two')).toBeUndefined();
  expect(await textIn(files.cut(all), '/a/two')).toBe('no name');
  expect(await textIn(files.killed(), '/a/one')).toBe('FLushed');
});

test('a rename is kept or lost as a whole', async () => {
  const files = new SimulatedFiles();
  await files.makeFolder('/a');
  await files.makeFolder('/b');
  await (await written(files, '/a/draft', 'text')).flush();
  for (const folder of ['/', '/a', '/b']) await files.flushFolder(folder);
  await files.rename('/a/draft', '/b/final');
  const lost = files.cut(nothing);
  expect([await lost.list('/a'), await lost.list('/b')]).toEqual([['draft'], []]);
  const kept = files.cut(all);
  expect([await kept.list('/a'), await kept.list('/b')]).toEqual([[], ['final']]);
  await files.flushFolder('/b');
  expect(await files.cut(nothing).list('/b')).toEqual(['final']);
});

test('a write during a flush is not part of it', async () => {
  const files = new SimulatedFiles();
  const file = await written(files, '/one', 'a');
  await files.flushFolder('/');
  let goOn = () => {};
  files.before = (operation) =>
    operation === 'flush' ? new Promise((resolve) => (goOn = resolve)) : undefined;
  const flush = file.flush();
  await file.write(Buffer.from('b'), 1);
  goOn();
  await flush;
  expect(await textIn(files.cut(nothing), '/one')).toBe('a');
  expect(await textIn(files, '/one')).toBe('ab');
});

test('an operation fails as the test demands, and does nothing', async () => {
  const files = new SimulatedFiles((operation, path) => {
    if (operation === 'write') throw systemError('ENOSPC', path);
  });
  await expect(written(files, '/one', 'a')).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(await textIn(files, '/one')).toBe('');
});

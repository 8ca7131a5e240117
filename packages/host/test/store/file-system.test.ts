import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolders } from '../../src/store/disk/make-folders.ts';
import { nodeFileSystem } from '../../src/store/disk/node-file-system.ts';
import { temporaryFolder } from './temporary-folder.ts';

const files = nodeFileSystem();

test('a file is written at any position, and reads as zeros where nothing was written', async () => {
  const path = join(temporaryFolder(), 'file');
  const file = await files.open(path, 'write');
  await file.write(Buffer.from('end'), 5);
  await file.write(Buffer.from('be'), 0);
  await file.flush();
  expect(await file.size()).toBe(8);
  expect(String(await file.read(0, 100))).toBe('be\0\0\0end');
  await file.truncate(6);
  await file.close();
  const again = await files.open(path, 'write');
  expect(String(await again.read(5, 100))).toBe('e');
  await again.close();
  expect(String(await files.readFile(path))).toBe('be\0\0\0e');
});

test('files and folders are for their owner only', async () => {
  const folder = join(temporaryFolder(), 'one', 'two');
  await expect(files.makeFolder(folder)).rejects.toMatchObject({ code: 'ENOENT' });
  await makeFolders(folder, files);
  await files.makeFolder(folder);
  await (await files.open(join(folder, 'file'), 'new')).close();
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, 'file')).mode & 0o777).toBe(0o600);
  await files.flushFolder(folder);
});

test('a name is never used twice by accident', async () => {
  const folder = temporaryFolder();
  const [one, other] = [join(folder, 'one'), join(folder, 'other')];
  writeFileSync(one, '1');
  writeFileSync(other, '2');
  await expect(files.open(one, 'new')).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(files.link(one, other)).rejects.toMatchObject({ code: 'EEXIST' });
  await files.link(one, join(folder, 'third'));
  await files.rename(one, other);
  expect((await files.list(folder)).toSorted()).toEqual(['other', 'third']);
});

test('a missing file is no error for stat and remove, and one for all others', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'missing');
  expect(await files.stat(path)).toBeUndefined();
  await files.remove(path);
  const missing = { code: 'ENOENT' };
  await expect(files.open(path, 'read')).rejects.toMatchObject(missing);
  await expect(files.readFile(path)).rejects.toMatchObject(missing);
  await expect(files.list(path)).rejects.toMatchObject(missing);
  await expect(files.rename(path, join(folder, 'other'))).rejects.toMatchObject(missing);
});

test('a folder is removed with its content, and a file is touched', async () => {
  const folder = join(temporaryFolder(), 'folder');
  mkdirSync(folder);
  writeFileSync(join(folder, 'file'), 'text');
  await files.touch(join(folder, 'file'), 1_000_000);
  expect(await files.stat(join(folder, 'file'))).toEqual({
    isFolder: false,
    size: 4,
    modifiedAt: 1_000_000,
  });
  await files.remove(folder);
  expect(await files.stat(folder)).toBeUndefined();
});

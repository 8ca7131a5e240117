import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ServerFolder } from '../src/postgres.ts';

test('a new folder replaces those of processes that were killed, and no others', () => {
  const { pid: ended } = spawnSync('true');
  const [abandoned, used] = [ended, process.pid].map((owner) => {
    const path = join(tmpdir(), `folder-test-${owner}-abc`);
    mkdirSync(path);
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    return path;
  });
  const folder = new ServerFolder('folder-test', undefined);
  expect([abandoned!, used!, folder.path].map(existsSync)).toEqual([false, true, true]);
  folder.remove();
  expect(existsSync(folder.path)).toBe(false);
});

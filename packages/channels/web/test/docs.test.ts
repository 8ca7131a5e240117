import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { defaultWording } from '@dramaturg/channel-web';
import { firstWord } from '../../../../.config/first-word.ts';
import { secret } from './secrets.ts';
import { clientOf } from './stage.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const page = await readFile(join(root, 'docs/web-chat.md'), 'utf8');

test('the program of the set-up serves a chat', async () => {
  const program = /```js\n(.*?)```/s.exec(page)![1]!.replaceAll(/^ {3}/gm, '');
  const folder = await mkdtemp(join(fileURLToPath(new URL('.', import.meta.url)), 'docs-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'data'));
  await symlink(join(root, 'docs'), join(folder, 'docs'));
  await writeFile(join(folder, 'program.mjs'), program.replace(':8080', ':0'));
  const child = spawn(process.execPath, ['program.mjs'], {
    cwd: folder,
    env: { ...process.env, DRAMATURG_WEB_CHAT_SECRET: secret },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { ask, begin, say } = clientOf(await firstWord(child));

  expect((await ask('')).status).toBe(200);
  expect(await say(await begin(), 'message-1', 'Hello')).toBe(200);
});

test('the options and texts of the page exist', async () => {
  const options = await readFile(new URL('../src/options.ts', import.meta.url), 'utf8');
  const table = page.slice(page.indexOf('## Options'), page.indexOf('## What visitors see'));
  for (const [, name] of table.matchAll(/^\| `(\w+)`/gm)) expect(options).toContain(`${name}?:`);
  const wording = /wording: \{([^}]*)\}/.exec(page)![1]!;
  for (const [, name] of wording.matchAll(/(\w+):/g)) expect(defaultWording).toHaveProperty(name!);
});

import { whyNoChromium } from '@dramaturg/test-servers';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { build } from 'vite';
import { until } from '../host-cli/processes.ts';
import { opened } from '../inspect/browser.ts';
import { slowPorts } from './slow-ports.ts';
import { served } from './stage.ts';

const page = join(import.meta.dirname, 'chat-page');

async function built(): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), 'dramaturg-'));
  onTestFinished(() => rm(outDir, { recursive: true, force: true }));
  await build({
    root: page,
    base: '/page/',
    logLevel: 'error',
    build: { outDir, emptyOutDir: true },
  });
  return outDir;
}

test.skipIf(whyNoChromium() !== undefined)(
  'useChat of the AI SDK holds a conversation in a browser, and goes on after a reload',
  async () => {
    const folder = await built();
    const { url, host } = await served(
      {
        mount: (app) =>
          app.get('/page/*', async (c) => {
            const name = c.req.path.replace('/page/', '') || 'index.html';
            const type = name.endsWith('.js') ? 'text/javascript' : 'text/html';
            return c.body(await readFile(join(folder, name), 'utf8'), 200, {
              'content-type': type,
            });
          }),
      },
      { ports: slowPorts(120) },
    );
    const shown = await opened(`${url}/page/`);
    const said = () => shown.locator('li').allTextContents();
    const say = async (text: string) => {
      await shown.getByLabel('Message').fill(text);
      await shown.keyboard.press('Enter');
    };
    const status = () => shown.locator('#status').textContent();
    await say('Hello');
    // The reply grows.
    await until(async () => (await said())[1] === 'Welcome! I am ');
    await until(async () => (await status()) === 'ready');
    expect(await said()).toEqual(['Hello', 'Welcome! I am here to help.\nWhat is your name?']);
    await say('Ada Byron');
    await until(async () => (await said()).length === 4 && (await status()) === 'ready');
    expect((await said())[3]).toBe('What is your account number?');

    await say('4711-B');
    await until(async () => ((await said())[5] ?? '') !== '');
    await shown.reload();
    await until(async () => ((await said())[0] ?? '') !== '');
    await until(async () => (await status()) === 'ready');
    const { items } = await host.list({ contact: 'ada' }, { limit: 1 });
    const lines = await host.transcript(items[0]!.id, { from: 0, limit: 100 });
    expect(await said()).toEqual([lines.findLast(({ role }) => role === 'agent')!.text]);
  },
);

import { whyNoChromium } from '@dramaturg/test-servers';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { build } from 'vite';
import { opened } from '../inspect/browser.ts';
import { heldSpeech } from './held-speech.ts';
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
    const { ports, release } = heldSpeech(3);
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
      { ports },
    );
    const shown = await opened(`${url}/page/`);
    const said = () => shown.locator('li').allTextContents();
    const say = async (text: string) => {
      await shown.getByLabel('Message').fill(text);
      await shown.keyboard.press('Enter');
    };
    const status = () => shown.locator('#status').textContent();
    await say('Hello');
    await expect.poll(said).toEqual(['Hello', 'Welcome! I am ']);
    release();
    const greeting = ['Hello', 'Welcome! I am here to help.\nWhat is your name?'];
    await expect.poll(said).toEqual(greeting);
    await expect.poll(status).toBe('ready');

    await say('Ada Byron');
    release();
    const asked = [...greeting, 'Ada Byron', 'What is your account number?'];
    await expect.poll(said).toEqual(asked);
    await expect.poll(status).toBe('ready');

    await say('4711-B');
    await expect.poll(async () => (await said())[5]).toMatch(/./);
    await shown.reload();
    await expect.poll(said).toEqual([expect.stringMatching(/./)]);
    release();
    const { items } = await host.list({ contact: 'ada' }, { limit: 1 });
    const stored = async () => {
      const lines = await host.transcript(items[0]!.id, { from: 0, limit: 100 });
      return lines.filter(({ role }) => role === 'agent').map(({ text }) => text);
    };
    await expect.poll(stored).toHaveLength(3);
    await expect.poll(said).toEqual([(await stored())[2]]);
    await expect.poll(status).toBe('ready');
  },
);

import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { build } from 'vite';
import { expect, onTestFinished, test } from 'vitest';

const executablePath = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  chromium.executablePath(),
].find((path) => path !== undefined && path !== '' && existsSync(path));

if (executablePath === undefined)
  process.stderr.write("A test of Stately's inspector is skipped: there is no Chromium.\n");

/** The pages, as one script each, on a server of this computer. */
async function served(): Promise<string> {
  const scripts = new Map<string, string>();
  for (const name of ['app', 'tool']) {
    const input = fileURLToPath(new URL(`pages/${name}.ts`, import.meta.url));
    const built = await build({
      configFile: false,
      logLevel: 'error',
      define: { 'process.env.NODE_ENV': '"production"' },
      build: { write: false, rolldownOptions: { input, output: { format: 'iife', name } } },
    });
    const { output } = built as unknown as { output: readonly { readonly code: string }[] };
    scripts.set(`/${name}.js`, output[0]!.code);
  }
  const server = createServer(({ url = '' }, response) => {
    const script = scripts.get(url);
    response.setHeader('content-type', script ? 'text/javascript' : 'text/html');
    const name = url === '/tool.html' ? 'tool' : 'app';
    response.end(script ?? `<!doctype html><iframe></iframe><script src="/${name}.js"></script>`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test.skipIf(executablePath === undefined)(
  "Stately's own receiver on another page follows the actors of this one",
  async () => {
    const url = await served();
    const browser = await chromium.launch({
      executablePath: executablePath!,
      args: ['--no-sandbox'],
    });
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const strangers: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(url)) strangers.push(request.url());
    });
    await page.goto(url);
    const tool = () => page.frames().find((frame) => frame.url().endsWith('/tool.html'))!;
    const heard = () => tool().evaluate(() => JSON.stringify((globalThis as never)['heard']));
    await expect.poll(heard).toContain('"name":"order"');
    await page.evaluate(() =>
      (globalThis as never as { actor: { send: (event: object) => void } }).actor.send({
        type: 'add',
      }),
    );
    await expect.poll(heard).toContain('"value":{"open":{"basket":"filled","till":"idle"}}');
    expect(strangers).toEqual([]);
  },
);

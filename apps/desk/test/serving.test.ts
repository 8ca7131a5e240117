import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createHost, memoryStore, understudyPorts } from 'dramaturg';
import { serveHost, type ServeHostOptions } from 'dramaturg/service';
import { expect, onTestFinished, test } from 'vitest';

async function served(options: ServeHostOptions) {
  const host = await createHost({ store: memoryStore(), ports: understudyPorts() });
  const service = await serveHost(host, { http: '127.0.0.1:0', ...options });
  onTestFinished(async () => {
    await host.stop();
    await service.end();
  });
  return service.url!;
}

const nobody = () => Promise.resolve(undefined);

test('the page needs no token, its addresses are all the same page, and the data need one', async () => {
  const url = await served({ desk: true, tokens: nobody });
  const addresses = [
    '/desk',
    '/desk/',
    '/desk/queues/all',
    '/desk/conversations/a%2Fb.js?queue=all',
  ];
  const pages = await Promise.all(
    addresses.map(async (path) => {
      const response = await fetch(url + path);
      return { status: response.status, text: await response.text() };
    }),
  );
  expect(new Set(pages.map(({ text }) => text)).size).toBe(1);
  expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await fetch(`${url}/instances`)).status).toBe(401);
});

test('the page may load from its own service only, and no page may frame it', async () => {
  const url = await served({ desk: true });
  const { headers } = await fetch(`${url}/desk`);
  const policy = headers.get('content-security-policy')!;
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  expect(headers.get('cache-control')).toBe('no-cache');
});

test('assets are kept by browsers, and a missing one is not the page', async () => {
  const url = await served({ desk: true });
  const page = await (await fetch(`${url}/desk`)).text();
  const [asset] = /\/desk\/assets\/[\w.-]+\.js/.exec(page)!;
  const response = await fetch(url + asset);
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect((await fetch(`${url}/desk/assets/none.js`)).status).toBe(404);
  expect((await fetch(`${url}/desk/assets/..%2f..%2fpackage.json`)).status).toBe(404);
});

test('a service without a desk has no such page', async () => {
  const url = await served({});
  expect((await fetch(`${url}/desk`)).status).toBe(404);
});

test('a desk without HTTP is refused with the next thing to do', async () => {
  const host = await createHost({ store: memoryStore(), ports: understudyPorts() });
  onTestFinished(() => host.stop());
  await expect(serveHost(host, { desk: true })).rejects.toMatchObject({
    code: 'service/bad-address',
    message: 'The desk is a page, so it needs HTTP.',
  });
});

test('dramaturg serve --desk has the page on a free port, and prints its address', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dramaturg-desk-'));
  const command = join(import.meta.dirname, '../../../packages/dramaturg/bin/dramaturg.js');
  const serving = spawn(process.execPath, [command, 'serve', join(folder, 'store'), '--desk']);
  const ended = new Promise((resolve) => serving.once('exit', resolve));
  onTestFinished(async () => {
    serving.kill();
    await ended;
    rmSync(folder, { recursive: true });
  });
  let address: string | undefined;
  for await (const line of createInterface({ input: serving.stdout })) {
    address = /http:\/\/127\.0\.0\.1:\d+\/desk/.exec(line)?.[0];
    if (address !== undefined) break;
  }
  const response = await fetch(address!);
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('<title>Desk</title>');
  const { name } = (await (await fetch(new URL('/me', address))).json()) as { name: unknown };
  expect(name).toBeNull();
});

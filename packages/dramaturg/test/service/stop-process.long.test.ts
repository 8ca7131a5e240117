import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { dramaturg } from '../command.ts';
import { Running, until } from '../host-cli/processes.ts';

/** A service with an agent that works until `finish` is called, and does not keep its process alive. */
async function workplace() {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const gate = join(folder, 'gate');
  await writeFile(
    join(folder, 'agents.mjs'),
    `import { existsSync } from 'node:fs';
export const slow = async () => {
  while (!existsSync(${JSON.stringify(gate)})) await new Promise((go) => setTimeout(go, 20).unref());
  return { done: true };
};\n`,
  );
  const States = { Work: { Type: 'Task', Agent: 'slow', End: true } };
  await writeFile(
    join(folder, 'work.asl.json'),
    JSON.stringify({ Version: '1.0', StartAt: 'Work', States }),
  );
  const store = join(folder, 'store.db');
  const serve = async (...args: readonly string[]) => {
    const [definition, agents] = [join(folder, 'work.asl.json'), join(folder, 'agents.mjs')];
    const options = ['--http', '127.0.0.1:0', '--definition', definition, '--agents', agents];
    const service = new Running(['serve', store, '--json', ...options, ...args]);
    await service.says('"ready"');
    const { url } = JSON.parse(service.stdout.split('\n')[0]!) as { url: string };
    return { service, url };
  };
  const outcome = async () => {
    const shown = await dramaturg(['show', store, 'run', '--json']);
    const { state, ended } = JSON.parse(shown.stdout) as { state: string; ended: boolean };
    return { state, ended };
  };
  return { serve, outcome, finish: () => writeFile(gate, '') };
}

/** Starts the slow workflow. */
async function begin(url: string): Promise<void> {
  const started = await fetch(`${url}/instances`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ definition: 'work', id: 'run' }),
  });
  expect(started.status).toBe(201);
}

/** Waits until a service takes no more requests. */
async function refuses(url: string): Promise<void> {
  await until(() =>
    fetch(`${url}/healthz`).then(
      () => false,
      () => true,
    ),
  );
}

test('a service that gets SIGTERM completes its work and its streams', async () => {
  const { serve, outcome, finish } = await workplace();
  const { service, url } = await serve();
  const streams = await Promise.all(Array.from({ length: 5 }, () => fetch(`${url}/events`)));
  await begin(url);
  process.kill(service.pid, 'SIGTERM');
  await refuses(url);
  await finish();
  expect(await service.exit).toBe(0);
  for (const stream of streams) expect(await stream.text()).toMatch(/event: end\ndata: {}\n\n$/);
  expect(await outcome()).toEqual({ state: 'COMPLETED', ended: true });
});

test.each([
  ['SIGTERM', 'SIGTERM', 143],
  ['SIGINT', 'SIGTERM', 143],
  ['SIGTERM', 'SIGINT', 130],
] as const)('%s and then %s end a service at once, with %i', async (first, second, code) => {
  const { serve, outcome, finish } = await workplace();
  const { service, url } = await serve();
  await begin(url);
  process.kill(service.pid, first);
  await refuses(url);
  expect(await service.end(second)).toBe(code);
  expect(await outcome()).toMatchObject({ ended: false });
  await serve();
  await finish();
  await until(async () => (await outcome()).ended);
  expect(await outcome()).toEqual({ state: 'COMPLETED', ended: true });
});

test('work that takes longer than --within goes on when the store is served again', async () => {
  const { serve, outcome, finish } = await workplace();
  const first = await serve('--within', '100');
  await begin(first.url);
  expect(await first.service.end('SIGTERM')).toBe(0);
  expect(await outcome()).toMatchObject({ ended: false });
  await serve();
  await finish();
  await until(async () => (await outcome()).ended);
  expect(await outcome()).toEqual({ state: 'COMPLETED', ended: true });
});

test('with --drain, requests are accepted for a while, and /readyz answers 503', async () => {
  const { serve } = await workplace();
  const { service, url } = await serve('--drain', '1000');
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  process.kill(service.pid, 'SIGTERM');
  await until(async () => (await fetch(`${url}/readyz`)).status === 503);
  expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ code: 'host/stopping' });
  expect((await fetch(`${url}/instances`)).status).toBe(200);
  expect(await service.exit).toBe(0);
  await refuses(url);
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, sharedPostgres, whyNoPostgres } from '@dramaturg/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dramaturg } from '../command.ts';
import { newStore, Running, serve, until } from './processes.ts';

const reason = whyNoPostgres();

describe.skipIf(reason !== undefined)(`serve --standby${reason ? ` (${reason})` : ''}`, () => {
  test('a process that waits takes the store of a stalled one, which then waits itself', async () => {
    const store = await aDatabase();
    const first = await serve(store, '--json', '--standby');
    const second = new Running(['serve', store, '--json', '--standby']);
    await second.says('"waiting"');
    expect(linesOf(second)[0]).toMatchObject({
      type: 'waiting',
      owner: { owner: 'dramaturg serve', pid: first.pid, token: '1' },
    });
    expect(await psOf(store)).toBe(0);

    process.kill(first.pid, 'SIGSTOP');
    await second.says('"ready"');
    process.kill(first.pid, 'SIGCONT');
    await until(() => linesOf(first).some(({ type }) => type === 'waiting'));
    expect(linesOf(first).map(({ type }) => type)).toEqual(['ready', 'lost', 'waiting']);
    expect(first.stderr).toMatch(
      /^dramaturg: The store has been taken over by "dramaturg serve", process \d+ on .+ with the token 2\..+\n$/,
    );
    // The socket is that of the second process, and the first has not removed it.
    const served = await dramaturg(['pause', store, 'nobody', '--json']);
    expect(served.stdout).toContain('host/unknown-instance');
    expect(await psOf(store)).toBe(0);

    expect(await second.end('SIGTERM')).toBe(0);
    await until(() => linesOf(first).filter(({ type }) => type === 'ready').length === 2);
    expect(await first.end('SIGTERM')).toBe(0);
  });

  test('a process without --standby is refused, and ends with a code of its own when it loses its store', async () => {
    const store = await aDatabase();
    const first = await serve(store, '--json');
    const refused = await dramaturg(['serve', store, '--json']);
    expect(refused.code).toBe(7);
    expect(refused.stderr).toMatch(
      /in use by "dramaturg serve", process \d+ on ".+", since 20.+, last renewed at 20/,
    );
    const second = new Running(['serve', store, '--json', '--standby']);
    await second.says('"waiting"');
    process.kill(first.pid, 'SIGSTOP');
    await second.says('"ready"');
    process.kill(first.pid, 'SIGCONT');
    expect(await first.exit).toBe(8);
    expect(first.stdout).toContain('"code":"store/lost"');
    expect(await second.end('SIGTERM')).toBe(0);
  });

  test('a process that waits is healthy and not ready, before it serves and after it has lost its store', async () => {
    const store = await aDatabase();
    const first = await serve(store, '--json', '--standby', '--http', '127.0.0.1:0');
    const second = new Running(['serve', store, '--json', '--standby', '--http', '127.0.0.1:0']);
    await second.says('"waiting"');
    const [own, other] = [urlOf(first), urlOf(second)];
    expect(await codeOf(`${own}/readyz`)).toEqual([200, undefined]);
    expect(await codeOf(`${other}/healthz`)).toEqual([200, undefined]);
    expect(await codeOf(`${other}/readyz`)).toEqual([503, 'host/waiting']);
    expect(await codeOf(`${other}/instances`)).toEqual([503, 'host/waiting']);
    process.kill(first.pid, 'SIGSTOP');
    await second.says('"ready"');
    process.kill(first.pid, 'SIGCONT');
    expect(await codeOf(`${other}/readyz`)).toEqual([200, undefined]);
    await first.says('"waiting"');
    expect(await codeOf(`${own}/instances`)).toEqual([503, 'host/waiting']);
    expect(await codeOf(`${own}/healthz`)).toEqual([200, undefined]);
  });

  test('a command on another machine finds the service of the host by the store', async () => {
    const store = await aDatabase();
    const folder = await mkdtemp(join(tmpdir(), 'dramaturg-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    // The socket of the store is not on that machine.
    const env = { XDG_STATE_HOME: folder };
    const elsewhere = (...args: string[]) => dramaturg(args, { env });
    const silent = await serve(store, '--json');
    const refused = await elsewhere('pause', store, 'nobody');
    expect(refused.code).toBe(7);
    expect(refused.stderr).toContain('Name the URL of its service in place of the store');
    expect(await silent.end('SIGTERM')).toBe(0);

    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const http = ['--http', `127.0.0.1:${port}`, '--public-url', url];
    const host = await serve(store, '--json', '--definition', 'customer-intake.plan.json', ...http);
    const started = await elsewhere('start', store, 'customer-intake', '--id', 'a', '--json');
    expect(started).toMatchObject({ code: 0, stderr: '' });
    expect(await elsewhere('pause', store, 'a')).toMatchObject({ code: 0, stderr: '' });
    expect(await host.end('SIGTERM')).toBe(0);

    // The next host has told nothing.
    const last = await serve(store, '--json');
    expect((await elsewhere('resume', store, 'a')).code).toBe(7);
    expect(await last.end('SIGTERM')).toBe(0);
  });

  test('waiting ends with the command', async () => {
    const store = await aDatabase();
    const first = await serve(store, '--standby');
    const second = new Running(['serve', store, '--standby']);
    await second.says('Ctrl+C ends the waiting.');
    expect(second.stdout).toMatch(
      /^Waiting for "postgres:.+": it is in use by "dramaturg serve", process \d+ on .+, since 20/,
    );
    expect(await second.end('SIGTERM')).toBe(0);
    expect(second.stdout).toMatch(/Stopped\.\n$/);
    expect(await first.end('SIGTERM')).toBe(0);
  });

  test('only a store in Postgres can have a standby', async () => {
    const refused = await dramaturg(['serve', await newStore(), '--standby']);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain('only a store in Postgres can');
  });
});

async function aDatabase(): Promise<string> {
  return (await sharedPostgres()).createDatabase().url;
}

function linesOf({ stdout }: Running): { readonly type: string }[] {
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { type: string });
}

function urlOf(running: Running): string {
  return (linesOf(running)[0] as unknown as { readonly url: string }).url;
}

/** The status of an answer, and the code of a problem. */
async function codeOf(url: string): Promise<readonly [status: number, code: string | undefined]> {
  const response = await fetch(url);
  return [response.status, ((await response.json()) as { readonly code?: string }).code];
}

async function psOf(store: string): Promise<number | null> {
  return (await dramaturg(['ps', store])).code;
}

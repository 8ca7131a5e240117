import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { freePort, sharedRestate, whyNoRestate } from '@dramaturg/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dramaturg, eventsOf, folderWith } from '../command.ts';
import { json, Running, until } from './processes.ts';

const missing = whyNoRestate();

/** A run that waits in the items of a Map, after a save point. */
const release = JSON.stringify({
  StartAt: 'Keep',
  States: {
    Keep: { Type: 'Checkpoint', Name: 'begun', Next: 'Each' },
    Each: {
      Type: 'Map',
      ItemsPath: '$.items',
      Iterator: {
        StartAt: 'Ask',
        States: { Ask: { Type: 'Approval', Prompt: 'Send it?', End: true } },
      },
      End: true,
    },
  },
});

describe.skipIf(missing)(`on Restate${missing ? ` (${missing})` : ''}`, () => {
  test('each command on instances works', async () => {
    const { place } = await served();
    const run = (command: string, ...args: string[]) => dramaturg([command, ...place, ...args]);
    const folder = await folderWith({ 'release.asl.json': release });
    const tail = new Running(['tail', ...place, '--json']);
    const all = new Running(['tail', ...place]);
    await until(() => all.stderr.includes('Waiting for events.'));
    const start = [join(folder, 'release.asl.json'), '--id', 'run', '--contact', 'bob'];
    expect(await run('start', ...start, '--input', '{"items": ["lamp", "bulb"]}')).toMatchObject({
      code: 0,
    });
    expect(await run('start', 'customer-intake', '--id', 'talk', '--contact', 'ada')).toMatchObject(
      { code: 0 },
    );
    await until(
      async () => (await json(['show', ...place, 'talk']))['state'] === 'WAITING_FOR_REPLY',
    );
    await until(
      async () =>
        ((await json(['decisions', ...place]))['decisions'] as readonly unknown[]).length > 0,
    );
    const { items } = (await json(['items', ...place, 'run'])) as { items: { input: unknown }[] };
    expect(items.map(({ input }) => input)).toEqual(['lamp', 'bulb']);
    expect((await run('items', 'run', '--status', 'running')).stdout).toContain('"lamp"');
    expect((await run('checkpoints', 'run')).stdout).toContain('begun');
    expect(await run('fork', 'run', 'begun', '--id', 'run-again')).toMatchObject({
      stdout: '✓ run-again: RUNNING\n',
    });
    expect(await run('fork', 'talk', '--step', '1', '--id', 'what-if', '--json')).toMatchObject({
      code: 0,
    });
    expect(await run('intervene', 'talk', 'This is Grace.')).toMatchObject({ code: 0 });
    expect((await run('logs', 'talk')).stdout).toContain('This is Grace.');
    expect((await run('verify')).stdout).toMatch(/^✓ \d+ records and \d+ lines, all sound\.\n$/);
    const exported = JSON.parse((await run('export', 'ada')).stdout) as { instances: object[] };
    expect(exported.instances).toMatchObject([{ id: 'talk' }, { id: 'what-if' }]);
    // Events of all instances, from a process that decides none of them.
    await until(() => /talk.*This is Grace\./.test(all.stdout));
    await until(() => new Set(eventsOf(tail.stdout).map((each) => each['instance'])).size === 4);
    expect(await run('erase', 'ada')).toMatchObject({
      code: 6,
      stderr: expect.stringContaining(
        `dramaturg erase ${place.join(' ')} <contact> --end`,
      ) as string,
    });
    expect((await run('erase', 'ada', '--end')).stdout).toContain('Erased: 2 instances');
    expect((await run('ps', '--all')).stdout).not.toMatch(/talk|what-if/);
  });

  test('wrong calls are refused with the next thing to do', async () => {
    const { place, ingress, admin, port } = await served();
    const elsewhere = ['--restate', ingress, '--restate-admin', admin, '--namespace', 'misspelt'];
    const other = createServer((_, response) => response.end('Hello.'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const taken = (other.address() as AddressInfo).port;
    await dramaturg(['start', ...place, 'customer-intake', '--id', 'talk', '--contact', 'ada']);
    const wrong: readonly (readonly [readonly string[], number, string, string])[] = [
      // Another namespace.
      ...['ps', 'decisions', 'verify', 'tail'].map(
        (name) => [[name, ...elsewhere], 7, 'has no handlers', 'correct --namespace'] as const,
      ),
      ...['show', 'items', 'checkpoints', 'logs', 'tail', 'pause', 'erase', 'export'].map(
        (name) => [[name, ...elsewhere, 'talk'], 7, 'has no handlers', 'dramaturg serve'] as const,
      ),
      // Other servers, or none.
      [['ps', '--restate', ingress, '--restate-admin', ingress], 7, 'refused', '--restate-admin'],
      [
        ['ps', '--restate', ingress, '--restate-admin', `http://127.0.0.1:${taken}`],
        7,
        'does not answer as a Restate server does',
        'Correct --restate-admin',
      ],
      ...['ps', 'verify', 'tail'].map(
        (name) =>
          [
            [name, '--restate', ingress, '--restate-admin', 'http://127.0.0.1:9'],
            7,
            'does not answer',
            'Start restate-server',
          ] as const,
      ),
      // Unknown names.
      ...['show', 'items', 'logs', 'cancel', 'checkpoints', 'tail', 'resume'].map(
        (name) => [[name, ...place, 'nobody'], 2, 'no instance', 'dramaturg ps --restate'] as const,
      ),
      [['fork', ...place, 'talk', 'never'], 2, 'no save point', 'dramaturg checkpoints --restate'],
      [['fork', ...place, 'talk', '--step', '1', '--id', 'talk'], 2, 'already', 'another --id'],
      [['decide', ...place, 'talk', 'approve'], 2, 'no open decision', 'decisions --restate'],
      [['start', ...place, 'unheard'], 2, 'no definition', 'dramaturg start --restate'],
      // Ports and addresses of handlers.
      [['serve', ...place, '--listen', `127.0.0.1:${taken}`], 7, 'Another program', '--listen'],
      [
        ['serve', ...elsewhere, '--listen', `127.0.0.1:${port}`],
        7,
        `serve the namespace "${place.at(-1)!}"`,
        'Name another port',
      ],
      [
        ['serve', ...elsewhere, '--listen', '127.0.0.1:0', '--advertise', `http://127.0.0.1:9`],
        7,
        'Restate refused registering the handlers at http://127.0.0.1:9',
        '--advertise',
      ],
      [['serve', ...elsewhere, '--advertise', 'nonsense'], 2, 'not a URL', '--advertise http://'],
    ];
    for (const [args, code, says, hint] of wrong) {
      const result = await dramaturg([...args, '--json']);
      expect({ args, code: result.code }).toEqual({ args, code });
      expect(result.stderr).toContain(says);
      expect(result.stderr.replace(says, '')).toContain(hint);
      const last = result.stdout.trimEnd().split('\n').at(-1)!;
      expect(JSON.parse(last)).toMatchObject({ error: expect.stringContaining(says) as string });
    }
    const both = await dramaturg(['ps', ...place, 'conversations']);
    expect(both).toMatchObject({ code: 2, stdout: '' });
    expect(both.stderr).toContain('Too many arguments');
  });
});

let count = 0;

/** A namespace of the shared server that one process serves. */
async function served() {
  const { ingress, admin } = await sharedRestate();
  const namespace = `commands-${process.pid}-${(count += 1)}`;
  const place = ['--restate', ingress, '--restate-admin', admin, '--namespace', namespace];
  const port = await freePort();
  const listen = ['--listen', `127.0.0.1:${port}`];
  const host = new Running([
    'serve',
    ...place,
    ...listen,
    '--definition',
    'customer-intake.plan.json',
  ]);
  await host.says('Ctrl+C stops this process.');
  return { place, ingress, admin, port };
}

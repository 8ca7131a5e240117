import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { dramaturg, folderWith, smallPlan } from './command.ts';
import { newStore, serve, until } from './host-cli/processes.ts';

const planted = 'Qz7-tUx9-planted-key-Wm3-Lp8Kd2';

/** A server that refuses every request and gives back what it was given. */
async function gateway(): Promise<string> {
  const server = createServer((request, response) => {
    const given = String(request.headers.authorization);
    response.writeHead(401, `No ${given}`, {
      'content-type': 'application/json',
      'x-given': given,
    });
    response.end(JSON.stringify({ error: { message: `Bad key: ${given}`, code: given } }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const agents = `
const failure = () => Object.assign(new Error('Refused: ' + process.env.DESK_TOKEN), {
  cause: { request: { headers: { authorization: 'Bearer ' + process.env.DESK_TOKEN } } },
});
export const pack = () => { throw failure(); };
`;

const workflow = JSON.stringify({
  StartAt: 'pack',
  States: { pack: { Type: 'Task', Agent: 'pack', End: true } },
});

test('a key that a server gives back is in no output and no recording of a run', async () => {
  const folder = await folderWith({ 'small.plan.json': smallPlan() });
  const env = { OPENAI_API_KEY: planted, DRAMATURG_DEBUG: '1' };
  for (const more of [[], ['--json']]) {
    const { code, stdout, stderr } = await dramaturg(
      [
        'run',
        'small.plan.json',
        '--model',
        'openai:x',
        '--base-url',
        `${await gateway()}/v1`,
        '--record',
        'one.recording',
        ...more,
      ],
      { cwd: folder, env, input: 'Ada\n' },
    );
    const recording = await readFile(join(folder, 'one.recording'), 'utf8');
    expect(code).not.toBe(3);
    expect(recording).toContain('"failure"');
    expect(`${recording}${stdout}${stderr}`).not.toMatch(/planted|Qz7-tUx9/);
  }
});

test('a token that an agent has in its error is in no output, no recording and no store', async () => {
  const folder = await folderWith({ 'agents.mjs': agents, 'order.asl.json': workflow });
  const env = { DESK_TOKEN: planted };
  const run = await dramaturg(
    ['run', 'order.asl.json', '--agents', 'agents.mjs', '--record', 'one.recording', '--json'],
    { cwd: folder, env },
  );
  const recording = await readFile(join(folder, 'one.recording'), 'utf8');
  expect(run.code).toBe(4);
  expect(run.stdout).toContain('Refused: [redacted]');
  expect(recording).toContain('Refused: [redacted]');
  expect(`${recording}${run.stdout}${run.stderr}`).not.toContain('planted');

  const started = await dramaturg(
    ['start', 'store', 'order.asl.json', '--agents', 'agents.mjs', '--id', 'one'],
    { cwd: folder, env },
  );
  expect(started.code).toBe(0);
  const logs = await dramaturg(['logs', 'store', 'one', '--journal'], { cwd: folder });
  expect(logs.stdout).not.toContain('planted');
});

test('an address with a password is refused in the arguments, and taken from the environment', async () => {
  const store = await newStore();
  const refused = await dramaturg([
    'serve',
    store,
    '--webhook',
    `https://me:${planted}@example.com/`,
  ]);
  expect(refused).toMatchObject({
    code: 2,
    stderr:
      'error: The address of --webhook has a password or a key, and every user of this machine can see the arguments of a process.\n' +
      'hint: Leave out --webhook, and set the variable DRAMATURG_WEBHOOK to the address.\n',
  });
  const model = ['run', 'customer-intake.plan.json', '--model', 'openai:x'];
  expect(
    (await dramaturg([...model, '--base-url', `https://example.com/v1?api_key=${planted}`])).stderr,
  ).toContain('set the variable DRAMATURG_BASE_URL');
});

test('a webhook in the environment gets its password, and no error shows it', async () => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(String(request.headers.authorization));
    response.writeHead(seen.length === 1 ? 500 : 200).end(request.headers.authorization);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const store = await newStore();
  process.env['DRAMATURG_WEBHOOK'] = `http://me:${planted}@127.0.0.1:${port}/`;
  onTestFinished(() => void delete process.env['DRAMATURG_WEBHOOK']);
  const host = await serve(store, '--definition', 'customer-intake.plan.json');
  await dramaturg(['start', store, 'customer-intake', '--contact', 'ada', '--channel', 'webhook']);
  await until(() => seen.length === 2);
  expect(seen[1]).toBe(`Basic ${Buffer.from(`me:${planted}`).toString('base64')}`);
  expect(host.stderr).toContain('The webhook answered 500.');
  expect(host.stdout + host.stderr).not.toMatch(/planted|bWU6/);
});

import { existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dramaturg, eventsOf, folderWith } from '../command.ts';
import {
  greeted,
  json,
  newStore,
  reaches,
  Running,
  serve,
  transcriptOf,
  until,
} from './processes.ts';

const intake = ['--definition', 'customer-intake.plan.json'];

test('commands hold a conversation through the running host', async () => {
  const store = await newStore();
  const host = await serve(store, ...intake);
  expect(
    await dramaturg([
      'start',
      store,
      'customer-intake',
      '--id',
      'conversation',
      '--contact',
      'ada',
    ]),
  ).toEqual({ code: 0, stdout: '✓ conversation: ACTIVE\n', stderr: '' });
  await reaches(store, 'conversation', 'WAITING_FOR_REPLY');
  expect(await dramaturg(['send', store, 'conv', 'Ada'])).toMatchObject({ code: 0, stderr: '' });
  await host.says('ada: What is your account number?\n');
  expect(await dramaturg(['send', store, '--from', 'ada', '4711-B'])).toMatchObject({ code: 0 });
  await host.says('ada: What kind of issue do you have?');
  expect((await transcriptOf(store, 'conversation')).slice(1)).toEqual([
    'contact: Ada',
    'agent: What is your account number?',
    'contact: 4711-B',
    'agent: What kind of issue do you have? (billing, technical or general)',
  ]);
  expect(await host.end('SIGTERM')).toBe(0);
  expect(host.stdout).toMatch(/Stopping \.\.\.\nStopped\.\n$/);
  expect(host.stderr).toBe('');
});

test('start takes the address of a service, with a definition that it knows and with a file', async () => {
  const host = await serve(await newStore(), ...intake, '--http', '127.0.0.1:0', '--json');
  const ready = host.stdout.split('\n').find((line) => line.includes('"ready"'))!;
  const { url } = JSON.parse(ready) as { url: string };
  const start = (definition: string, id: string) =>
    dramaturg(['start', url, definition, '--id', id, '--contact', id]);
  expect(await start('customer-intake', 'known')).toEqual({
    code: 0,
    stdout: '✓ known: ACTIVE\n',
    stderr: '',
  });
  expect(await start('customer-intake.plan.json', 'file')).toMatchObject({ code: 0, stderr: '' });
  await reaches(url, 'known', 'WAITING_FOR_REPLY');
  expect(await dramaturg(['send', url, 'known', 'Ada'])).toMatchObject({ code: 0, stderr: '' });
  const unknown = await start('nothing', 'other');
  expect(unknown).toMatchObject({ code: 2, stdout: '' });
  expect(unknown.stderr).toContain('"nothing"');
  expect(await host.end('SIGTERM')).toBe(0);
});

test('a paused instance reports what it accepts, and continues when it is resumed', async () => {
  const store = await newStore();
  const host = await serve(store, ...intake);
  await greeted(store, 'conversation', 'ada');
  expect(await dramaturg(['pause', store, 'conversation'])).toEqual({
    code: 0,
    stdout: '✓ conversation: PAUSED\n',
    stderr: '',
  });
  const refused = await dramaturg(['pause', store, 'conversation']);
  expect(refused).toMatchObject({ code: 6, stdout: '' });
  expect(refused.stderr).toMatch(
    /^refused: An instance in "PAUSED" does not accept "pause"\. It accepts resume, .*cancel.* \(event\/not-accepted\)\n$/,
  );
  expect(await dramaturg(['resume', store, 'conversation'])).toMatchObject({ code: 0 });
  expect(await dramaturg(['intervene', store, 'conversation', 'I take over.'])).toMatchObject({
    code: 0,
  });
  await host.says('ada (by hand): I take over.\n');
  expect(await dramaturg(['cancel', store, 'conversation', '--reason', 'enough'])).toEqual({
    code: 0,
    stdout: '✓ conversation: FAILED\n',
    stderr: '',
  });
  expect(await dramaturg(['send', store, 'conversation', 'Hello?'])).toEqual({
    code: 6,
    stdout: '',
    stderr:
      'refused: The instance has ended in "FAILED", so it does not accept "message.received". (instance/ended)\n',
  });
});

test('a file is sent to the running host, and its mistakes are printed by the command', async () => {
  const store = await newStore();
  await serve(store, '--agents', 'agents.mjs');
  const input = '{"items": ["lamp"]}';
  expect(
    await dramaturg(['start', store, 'order.asl.json', '--id', 'order-1', '--input', input]),
  ).toMatchObject({ code: 0, stderr: '' });
  await reaches(store, 'order-1', 'COMPLETED');
  expect(await dramaturg(['start', store, 'order', '--id', 'order-2'])).toMatchObject({ code: 0 });
  const unused = await dramaturg(['start', store, 'order', '--agents', 'agents.mjs']);
  expect(unused.stderr).toBe(
    'A host runs this store, so --agents is ignored: the options of "dramaturg serve" apply.\n',
  );
  const wrong = await dramaturg(['start', store, 'with-mistakes.plan.json']);
  expect(wrong).toMatchObject({ code: 1, stdout: '' });
  expect(wrong.stderr).toContain('There is no state "farewel".');
});

test('a call that takes longer than --call-timeout fails, and the commands of a running host cannot change it', async () => {
  const store = await newStore();
  const folder = await folderWith({
    'wait.asl.json': JSON.stringify({
      StartAt: 'Wait',
      States: { Wait: { Type: 'Task', Agent: 'Silent', End: true } },
    }),
    'agents.mjs': 'export const Silent = () => new Promise(() => {});',
  });
  const [definition, agents] = ['wait.asl.json', 'agents.mjs'].map((file) => join(folder, file));
  await serve(store, '--definition', definition!, '--agents', agents!, '--call-timeout', '50');
  const started = await dramaturg([
    'start',
    store,
    'wait',
    '--id',
    'wait-1',
    '--call-timeout',
    '60000',
  ]);
  expect(started).toMatchObject({ code: 0 });
  expect(started.stderr).toBe(
    'A host runs this store, so --call-timeout is ignored: the options of "dramaturg serve" apply.\n',
  );
  await reaches(store, 'wait-1', 'FAILED');
  expect((await dramaturg(['show', store, 'wait-1'])).stdout).toContain(
    'The port "runAgent" did not answer within 50 ms. To wait longer, raise callTimeout of createHost (--call-timeout).',
  );
});

test('a decision is sent as an event', async () => {
  const store = await newStore();
  await serve(store, '--definition', 'order.asl.json', '--agents', 'agents.mjs');
  const input = '{"items": ["lamp", "bulb", "wire"]}';
  await dramaturg(['start', store, 'order', '--id', 'order-1', '--input', input]);
  await until(async () => {
    const { decisions } = await json(['show', store, 'order-1']);
    return (decisions as unknown[]).length === 1;
  });
  expect((await dramaturg(['show', store, 'order-1'])).stdout).toMatch(
    /^ {2}waits for +a decision: Send goods for 120 euros\?\n {23}order-1\/[0-9a-z]{8}: approve, reject$/m,
  );
  const event = '{"type": "decision.made", "decision": "approve"}';
  expect(await dramaturg(['send', store, 'order-1', '--event', event])).toMatchObject({ code: 0 });
  await reaches(store, 'order-1', 'COMPLETED');
});

test('a decision is listed and made through the socket', async () => {
  const store = await newStore();
  await serve(store, '--definition', 'refund.asl.json');
  await dramaturg([
    'start',
    store,
    'refund',
    '--id',
    'a/b',
    '--by',
    'dan',
    '--input',
    'refund.json',
  ]);
  await until(
    async () => ((await json(['decisions', store]))['decisions'] as unknown[]).length === 1,
  );
  const { decisions } = await json(['decisions', store, '--by', 'ana', '--definition', 'refund']);
  const [{ decision }] = decisions as [{ decision: string }];
  expect(decision).toMatch(/^a\/b\/[0-9a-z]{8}$/);
  expect(await json(['decisions', store, '--by', 'eve'])).toEqual({ decisions: [] });
  const decide = (id: string, ...more: string[]) =>
    dramaturg(['decide', store, id, 'approve', '--by', ...more]);
  expect(await decide(decision, 'dan')).toMatchObject({
    code: 6,
    stderr:
      'refused: "dan" has requested it, so somebody else has to decide. (decision/not-allowed)\n',
  });
  expect(await decide(decision, 'ana', '--edit', 'customer=Eve')).toMatchObject({
    code: 6,
    stderr:
      'refused: "customer" may not be changed. Fields that may be changed: $.amount. (decision/not-allowed)\n',
  });
  expect(await decide(decision.slice(0, 7), 'ana', '--edit', 'amount=70')).toMatchObject({
    code: 0,
  });
  await reaches(store, 'a/b', 'COMPLETED');
  expect(await decide(decision, 'bob')).toMatchObject({
    code: 6,
    stderr: `refused: The decision "${decision.slice(4)}" was made before: "approve", by ana. (decision/not-open)\n`,
  });
  expect(await decide('a/b', 'bob')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('has no open decision'),
  });
  expect((await dramaturg(['logs', store, 'a/b', '--journal'])).stdout).toContain(
    '"agreed":{"amount":70}',
  );
});

test('tasks that wait for a token are completed by an agent or by an event', async () => {
  const store = await newStore();
  const queue = 'arn:aws:states:::sqs:sendMessage.waitForTaskToken';
  const waits = (next: object) => ({
    Type: 'Task',
    Resource: queue,
    Parameters: { 'token.$': '$$.Task.Token' },
    ...next,
  });
  const folder = await folderWith({
    'signed.asl.json': JSON.stringify({
      StartAt: 'Stamp',
      States: { Stamp: waits({ Next: 'Sign' }), Sign: waits({ End: true }) },
    }),
    'workers.mjs': `let stamps = 0;
      export default {
        '${queue}': ({ token }, { complete }) => {
          stamps += 1;
          if (stamps === 1) complete({ type: 'task.succeeded', token, output: 'official' });
        },
      };`,
  });
  await serve(store, '--agents', join(folder, 'workers.mjs'));
  await dramaturg(['start', store, join(folder, 'signed.asl.json'), '--id', 'to/sign']);
  const tokens = async () => {
    const lines = (await json(['logs', store, 'to/sign', '--journal'])) as unknown as {
      event: { type: string; token: string };
    }[];
    const scheduled = lines.filter(({ event: { type } }) => type === 'task.scheduled');
    return scheduled.map(({ event: { token } }) => token);
  };
  await until(async () => (await tokens()).length === 2);
  const [, token] = await tokens();
  const send = async (event: object, ...more: string[]) =>
    dramaturg(['send', store, 'to/sign', '--event', JSON.stringify(event), ...more]);
  const [used] = await tokens();
  for (const type of ['task.succeeded', 'task.failed', 'task.heartbeat']) {
    for (const wrong of [used, `${token}x`]) {
      const sent = await send({ type, token: wrong, output: 'forged' });
      expect(sent).toMatchObject({ code: 6 });
      expect(sent.stderr).toContain(`No task waits with the token "${wrong}".`);
      expect(sent.stderr).toContain('(task/unknown-token)');
    }
  }
  expect(await send({ type: 'task.succeeded' })).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('needs the "token" of a task') as string,
  });
  const asJson = await send({ type: 'task.failed', token: used }, '--json');
  expect(asJson.code).toBe(6);
  expect(JSON.parse(asJson.stdout)).toMatchObject({ accepted: false, code: 'task/unknown-token' });
  expect(await send({ type: 'task.succeeded', token, output: 'signed' })).toMatchObject({
    code: 0,
  });
  await reaches(store, 'to/sign', 'COMPLETED');
  expect(await send({ type: 'task.succeeded', token, output: 'signed' })).toMatchObject({
    code: 6,
  });
});

test('ps lists running instances, filters them, and continues page by page', async () => {
  const store = await newStore();
  await serve(store, ...intake);
  for (const name of ['first', 'second', 'third']) await greeted(store, name, `${name}@home`);
  await dramaturg(['cancel', store, 'second']);
  const listed = await dramaturg(['ps', store]);
  expect(listed.stdout.split('\n').map((line) => line.trimEnd())).toEqual([
    expect.stringMatching(/^ID +DEFINITION +CONTACT +STATE +UPDATED +NEXT TIMER$/),
    expect.stringMatching(/^first +customer-intake +first@home +WAITING_FOR_REPLY .* in 30 min$/),
    expect.stringMatching(/^third +customer-intake +third@home +WAITING_FOR_REPLY .* in 30 min$/),
    '',
  ]);
  for (const line of listed.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  const idsOf = async (...args: string[]) =>
    ((await json(['ps', store, ...args]))['instances'] as { id: string }[]).map(({ id }) => id);
  expect(await idsOf('--ended')).toEqual(['second']);
  expect(await idsOf('--all')).toEqual(['first', 'second', 'third']);
  expect(await idsOf('--all', '--contact', 'second@home')).toEqual(['second']);
  expect(await idsOf('--all', '--state', 'FAILED')).toEqual(['second']);
  expect(await idsOf('--definition', 'another')).toEqual([]);
  const { next } = await json(['ps', store, '--all', '--limit', '2']);
  expect(await idsOf('--all', '--limit', '2', '--after', String(next))).toEqual(['third']);
  expect((await dramaturg(['ps', store, '--all', '--limit', '2'])).stdout).toContain(
    `There are more: add --after '${String(next)}'\n`,
  );
});

test('tail and logs --follow print events until the instance ends', async () => {
  const store = await newStore();
  const host = await serve(store, ...intake);
  await greeted(store, 'conversation', 'ada');
  const all = new Running(['tail', store, '--json']);
  const one = new Running(['tail', store, 'conversation']);
  const followed = new Running([
    'logs',
    store,
    'conversation',
    '--follow',
    '--tail',
    '1',
    '--json',
  ]);
  const journal = new Running(['logs', store, 'conversation', '--follow', '--journal']);
  await until(() => one.stderr !== '');
  await followed.says('WAITING_FOR_REPLY');
  await journal.says('message.delivered');
  await greeted(store, 'another', 'bob');
  await until(() => all.stdout.includes('"another"'));
  await dramaturg(['send', store, 'conversation', 'Ada']);
  await followed.says('What is your account number?');
  await dramaturg(['cancel', store, 'conversation']);
  expect(await followed.exit).toBe(0);
  expect(await journal.exit).toBe(0);
  const lines = eventsOf(followed.stdout) as unknown as { role: string; text: string }[];
  expect(lines.filter(({ role }) => role !== 'system').map(({ text }) => text)).toEqual([
    'Ada',
    'What is your account number?',
  ]);
  await one.says('instance.ended');
  expect(one.stdout).not.toContain('another');
  await host.end('SIGINT');
  expect(await all.exit).toBe(0);
  expect(all.stderr).toBe('The host has stopped.\n');
  for (const event of eventsOf(all.stdout)) {
    expect(Object.keys(event)).toEqual(['instance', 'at', 'source', 'event', 'cursor']);
  }
});

test('logs --follow of an instance that has ended ends', async () => {
  const store = await newStore();
  await serve(store, ...intake);
  await greeted(store, 'conversation', 'ada');
  await dramaturg(['cancel', store, 'conversation']);
  const followed = await dramaturg(['logs', store, 'conversation', '--follow']);
  expect(followed).toMatchObject({ code: 0, stderr: '' });
  expect(followed.stdout).toContain('FAILED: cancelled');
});

test('a message may come from standard input', async () => {
  const store = await newStore();
  await serve(store, ...intake);
  await greeted(store, 'conversation', 'ada');
  await dramaturg(['send', store, 'conversation', '-'], { input: 'Ada\nLovelace\n' });
  expect((await transcriptOf(store, 'conversation'))[1]).toBe('contact: Ada\nLovelace');
});

test('the path of a store may be longer than that of a socket', async () => {
  const store = join(await newStore(), 'a-long-name/'.repeat(12));
  const host = await serve(store, ...intake);
  await greeted(store, 'conversation', 'ada');
  await host.says('What is your name?');
  await host.end('SIGTERM');
  expect(existsSync(join(store, 'host.sock'))).toBe(false);
  expect(await dramaturg(['ps', store])).toMatchObject({ code: 0, stderr: '' });
});

test('a second host of a store is refused with the name of the first one', async () => {
  const store = await newStore();
  const host = await serve(store);
  const second = await dramaturg(['serve', store]);
  expect(second).toMatchObject({ code: 7, stdout: '' });
  expect(second.stderr).toContain(
    `error: The store is in use by "dramaturg serve", process ${host.pid} on `,
  );
  expect(second.stderr).toContain('hint: A store has one owner: stop that process');
  expect(await dramaturg(['ps', store])).toMatchObject({ code: 0 });
});

test.skipIf(process.platform === 'win32')('the socket is for its owner only', async () => {
  const store = await newStore();
  const host = await serve(store);
  expect(statSync(join(store, 'host.sock')).mode & 0o777).toBe(0o600);
  await host.end('SIGTERM');
  expect(statSync(join(store, 'host.sock'), { throwIfNoEntry: false })).toBeUndefined();
});

test('serve --json prints one JSON value a line', async () => {
  const store = await newStore();
  const host = await serve(store, '--json', ...intake);
  await greeted(store, 'conversation', 'ada');
  expect(await json(['pause', store, 'conversation'])).toEqual({
    id: 'conversation',
    accepted: true,
    state: 'PAUSED',
  });
  await host.end('SIGTERM');
  expect(eventsOf(host.stdout)).toEqual([
    { type: 'ready', pid: host.pid, definitions: ['customer-intake'] },
    expect.objectContaining({ type: 'message', instance: 'conversation', contact: 'ada' }),
    { type: 'stopped' },
  ]);
});

test('messages go to the webhook when there is one', async () => {
  const store = await newStore();
  const bodies: string[] = [];
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      bodies.push(body);
      response.end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as { port: number };
  await serve(store, ...intake, '--webhook', `http://127.0.0.1:${port}/`);
  await greeted(store, 'conversation', 'ada');
  await until(() => bodies.length === 1);
  receiver.close();
  expect(JSON.parse(bodies[0]!)).toMatchObject({ instance: 'conversation', role: 'agent' });
});

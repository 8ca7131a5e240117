import { expect, test } from 'vitest';
import { dramaturg, folderWith } from '../command.ts';
import { greeted, json, newStore, transcriptOf } from './processes.ts';

const start = (store: string, ...args: string[]) =>
  dramaturg(['start', store, 'customer-intake.plan.json', ...args]);

test.each(['lowdb', 'sqlite'])(
  'a conversation is held in a store of the kind %s without a host that runs',
  async (kind) => {
    const store = await newStore();
    const started = await start(store, '--store', kind, '--id', 'conversation', '--contact', 'ada');
    expect(started).toMatchObject({ code: 0, stderr: '' });
    expect(started.stdout).toMatch(
      /^ada: Welcome! I am here to help\.\n {2}What is your name\?\n✓ conversation: WAITING_FOR_REPLY\n$/,
    );
    expect(await dramaturg(['send', store, 'conv', 'Ada'])).toEqual({
      code: 0,
      stdout: 'ada: What is your account number?\n✓ conversation: WAITING_FOR_REPLY\n',
      stderr: '',
    });
    expect(await dramaturg(['send', store, '--from', 'ada', '4711-B'])).toMatchObject({ code: 0 });
    expect(await dramaturg(['pause', store, 'conversation'])).toMatchObject({
      stdout: '✓ conversation: PAUSED\n',
    });
    expect(await dramaturg(['pause', store, 'conversation'])).toMatchObject({ code: 6 });
    expect(await dramaturg(['resume', store, 'conversation'])).toMatchObject({ code: 0 });
    expect(await dramaturg(['intervene', store, 'conversation', 'By hand.'])).toEqual({
      code: 0,
      stdout: 'ada (by hand): By hand.\n✓ conversation: WAITING_FOR_REPLY\n',
      stderr: '',
    });
    expect(await dramaturg(['cancel', store, 'conversation'])).toMatchObject({ code: 0 });
    expect((await transcriptOf(store, 'conversation')).slice(1)).toEqual([
      'contact: Ada',
      'agent: What is your account number?',
      'contact: 4711-B',
      'agent: What kind of issue do you have? (billing, technical or general)',
      'manual: By hand.',
    ]);
    const shown = await dramaturg(['show', store, 'conversation']);
    expect(shown.stdout).toMatch(/^ {2}state +FAILED, ended\n/m);
    expect(shown.stdout).toMatch(/^ {2}failure_reason +cancelled\n/m);
  },
);

test('the JSON contains the messages of instances', async () => {
  const store = await newStore();
  expect(
    await json(['start', store, 'customer-intake.plan.json', '--id', 'abcd', '--contact', 'Ada']),
  ).toEqual({
    id: 'abcd',
    accepted: true,
    state: 'WAITING_FOR_REPLY',
    settled: true,
    messages: [
      {
        id: expect.any(String),
        instance: 'abcd',
        contact: 'Ada',
        role: 'agent',
        text: expect.stringContaining('What is your name?'),
        at: expect.any(Number),
      },
    ],
  });
  await json(['pause', store, 'abcd']);
  const refused = await dramaturg(['pause', store, 'abcd', '--json']);
  expect(refused).toMatchObject({ code: 6, stderr: '' });
  expect(JSON.parse(refused.stdout)).toMatchObject({
    id: 'abcd',
    accepted: false,
    state: 'PAUSED',
    accepts: expect.arrayContaining(['resume', 'cancel']),
    messages: [],
  });
  expect(await json(['ps', store])).toEqual({
    instances: [
      {
        id: 'abcd',
        definition: { name: 'customer-intake', version: expect.any(String) },
        contact: 'Ada',
        state: 'PAUSED',
        queue: 'paused',
        waitingSince: expect.any(Number),
        ended: false,
        createdAt: expect.any(Number),
        updatedAt: expect.any(Number),
      },
    ],
    retries: [],
    damaged: [],
  });
  expect(await json(['show', store, 'abcd'])).toMatchObject({
    id: 'abcd',
    address: 'Ada',
    holdsContact: true,
    isAnswering: false,
    undelivered: [],
    calls: [],
    decisions: [],
    timers: [],
  });
  const journal = (await json(['logs', store, 'abcd', '--journal'])) as unknown as object[];
  expect(journal[1]).toMatchObject({ source: 'lifecycle', event: { type: 'state.entered' } });
});

test('options set the heartbeat, the reminders and the checklist', async () => {
  const store = await newStore();
  await start(
    store,
    '--id',
    'conversation',
    '--contact',
    'ada',
    '--heartbeat',
    '600000',
    '--max-followups',
    '2',
    '--todo',
    'Learn the name',
    '--todo',
    'Learn the number',
  );
  expect(await json(['show', store, 'conversation'])).toMatchObject({
    lifecycle: {
      heartbeat_config: { interval_ms: 600_000, max_followups: 2 },
      todos: [{ text: 'Learn the name' }, { text: 'Learn the number' }],
    },
  });
  const { stdout } = await dramaturg(['show', store, 'conversation']);
  expect(stdout).toMatch(/^ {2}waits for +a timer, in 10 min \(\d{4}-\d\d-\d\d [\d:]{8}\)$/m);
  expect(stdout).toMatch(/^ {2}todo +Learn the name: pending\n/m);
});

test('the name of a definition is enough once the store has it', async () => {
  const store = await newStore();
  await greeted(store, 'first', 'ada');
  expect(await dramaturg(['start', store, 'customer-intake', '--contact', 'bob'])).toMatchObject({
    code: 0,
    stderr: '',
  });
  const unknown = await dramaturg(['start', store, 'intake']);
  expect(unknown).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'error: There is no definition "intake". The host has these: "customer-intake".\n' +
      `hint: Name a file to start from: dramaturg start ${store} <file>.\n`,
  });
});

test('an instance that has failed since is printed with its reason', async () => {
  const store = await newStore();
  const folder = await folderWith({
    'broken.asl.json': JSON.stringify({
      StartAt: 'F',
      States: { F: { Type: 'Fail', Error: 'Broken', Cause: 'on purpose' } },
    }),
    'agents.mjs': 'export const Nobody = () => 1;',
    'lost.asl.json': JSON.stringify({
      StartAt: 'T',
      States: { T: { Type: 'Task', Agent: 'Somebody', End: true } },
    }),
  });
  const run = (...args: string[]) => dramaturg(['start', store, ...args], { cwd: folder });
  expect(await run('broken.asl.json', '--id', 'b')).toEqual({
    code: 0,
    stdout: '✗ b: FAILED\n  Broken: on purpose\n',
    stderr: '',
  });
  const lost = await run('lost.asl.json', '--id', 'l', '--agents', 'agents.mjs', '--json');
  expect(JSON.parse(lost.stdout)).toMatchObject({
    accepted: true,
    state: 'FAILED',
    trouble: expect.stringContaining('Somebody'),
  });
});

test('an instance in the queue begins when its contact becomes free', async () => {
  const store = await newStore();
  await greeted(store, 'first', 'ada');
  expect(await start(store, '--id', 'second', '--contact', 'ada')).toMatchObject({
    stdout: '✓ second: QUEUED\n',
  });
  const cancelled = await dramaturg(['cancel', store, 'first']);
  expect(cancelled.stdout).toMatch(/^ada: .*\n(?: {2}.*\n)*✓ first: FAILED\n$/);
  expect(await json(['show', store, 'second'])).toMatchObject({ state: 'WAITING_FOR_REPLY' });
});

test('reading a store continues no instance', async () => {
  const store = await newStore();
  await start(store, '--id', 'conversation', '--contact', 'ada', '--heartbeat', '1');
  const before = await transcriptOf(store, 'conversation');
  await dramaturg(['ps', store]);
  await dramaturg(['show', store, 'conversation']);
  expect(await transcriptOf(store, 'conversation')).toEqual(before);
});

test('a workflow runs with the agents of a module', async () => {
  const store = await newStore();
  const input = '{"items": ["lamp"]}';
  expect(
    await json([
      'start',
      store,
      'order.asl.json',
      '--id',
      'order',
      '--input',
      input,
      '--agents',
      'agents.mjs',
    ]),
  ).toMatchObject({ state: 'RUNNING', settled: true });
  expect(await json(['show', store, 'order'])).toMatchObject({
    timers: [{ at: expect.any(Number) }],
  });
});

test('logs prints who said what, or only the last lines', async () => {
  const store = await newStore();
  await greeted(store, 'conversation', 'ada');
  await dramaturg(['send', store, 'conversation', 'Ada\u001b[31m']);
  const { stdout } = await dramaturg(['logs', store, 'conversation']);
  expect(stdout).toMatch(/^\d{4}-\d\d-\d\d [\d:]{8} {2}contact {2}Ada␛\[31m$/m);
  const last = await dramaturg(['logs', store, 'conversation', '--tail', '1']);
  expect(last.stdout).toMatch(/^\S+ \S+ {2}system {3}ACTIVE → WAITING_FOR_REPLY\n$/);
  expect(await dramaturg(['logs', store, 'conversation', '--tail', '0', '--follow'])).toEqual({
    code: 0,
    stdout: '',
    stderr: `No host runs this store, so nothing follows. "dramaturg serve ${store}" starts one.\n`,
  });
});

test('tail of a store without a host prints how to start one', async () => {
  const store = await newStore();
  await greeted(store, 'conversation', 'ada');
  expect(await dramaturg(['tail', store])).toEqual({
    code: 7,
    stdout: '',
    stderr:
      `error: No host runs the store "${store}", so it has no events.\n` +
      `hint: "dramaturg serve ${store}" starts one. "dramaturg logs ${store} <id> --journal" prints past events.\n`,
  });
});

test('commands at the same time take turns', async () => {
  const store = await newStore();
  await greeted(store, 'first', 'ada');
  const results = await Promise.all([
    start(store, '--id', 'of-bob', '--contact', 'bob'),
    start(store, '--id', 'of-carl', '--contact', 'carl'),
    dramaturg(['ps', store]),
  ]);
  for (const { code, stderr } of results) expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { instances } = await json(['ps', store]);
  expect(instances).toHaveLength(3);
});

import { existsSync } from 'node:fs';
import { rm, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dramaturg, folderWith, smallPlan } from '../command.ts';
import { greeted, newStore } from './processes.ts';

const looking = ['ps', 'show', 'logs', 'tail', 'send', 'pause', 'resume', 'cancel', 'intervene'];

/** The arguments of a command after the store. */
function rest(name: string): string[] {
  if (name === 'ps') return [];
  return ['send', 'intervene'].includes(name) ? ['some-id', 'text'] : ['some-id'];
}

describe.each(looking)('dramaturg %s', (name) => {
  test('creates no store', async () => {
    const store = await newStore();
    expect(await dramaturg([name, store, ...rest(name)])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        `error: There is no store "${store}".\n` +
        `hint: Check the name and the current folder. "dramaturg start ${store} <definition>" creates a store.\n`,
    });
    expect(existsSync(store)).toBe(false);
  });
});

test('a folder that is not a store is not changed', async () => {
  const folder = await folderWith({ 'notes.txt': 'mine' });
  expect((await dramaturg(['ps', folder])).stderr).toContain(
    `error: The folder "${folder}" is not a store.\n`,
  );
  const started = await dramaturg(['start', folder, 'customer-intake.plan.json']);
  expect(started).toMatchObject({ code: 7, stdout: '' });
  expect(started.stderr).toContain('is not a store: it contains "notes.txt"');
});

test('a file is not a store', async () => {
  const folder = await folderWith({ 'plan.json': '{}' });
  const file = join(folder, 'plan.json');
  for (const command of [
    ['ps', file],
    ['start', file, 'customer-intake.plan.json'],
    ['serve', file],
  ]) {
    expect(await dramaturg(command)).toEqual({
      code: 2,
      stdout: '',
      stderr:
        `error: "${file}" is not a store, but another file.\n` +
        'hint: Name the folder or the SQLite file of the store first, then the definition or the id.\n',
    });
  }
});

test('the kind of an existing store cannot be changed', async () => {
  const store = await newStore();
  await greeted(store, 'conversation', 'ada');
  expect(await dramaturg(['serve', store, '--store', 'sqlite'])).toEqual({
    code: 2,
    stdout: '',
    stderr:
      `error: "${store}" is a store of the kind "lowdb", not "sqlite".\n` +
      'hint: Leave out --store: the kind of an existing store is detected, and only a new folder can be of any kind.\n',
  });
});

test('an id that is unknown, too short or ambiguous is reported', async () => {
  const store = await newStore();
  await greeted(store, 'conversation-1', 'ada');
  await greeted(store, 'conversation-2', 'bob');
  const list = `"dramaturg ps ${store} --all" lists the instances.\n`;
  const show = async (id: string) => (await dramaturg(['show', store, id])).stderr;
  expect(await show('talk')).toBe(
    `error: There is no instance whose id begins with "talk".\nhint: ${list}`,
  );
  expect(await show('con')).toBe(
    `error: There is no instance "con".\nhint: Write the whole id, or at least its first 4 characters. ${list}`,
  );
  expect(await show('conversation')).toBe(
    'error: The ids of several instances begin with "conversation".\n' +
      'hint: Write more characters. The ids are: conversation-1, conversation-2.\n',
  );
  expect(await show('')).toBe(`error: The id is empty.\nhint: ${list}`);
  expect(await show('definition:customer-intake')).toContain('There is no instance');
  expect(await show('../../etc')).toContain('There is no instance');
});

test('the first characters of an id that its children share are those of the parent', async () => {
  const store = await newStore();
  await greeted(store, 'order-4711', 'ada');
  await greeted(store, 'order-4711.k7f2m9x4q1', 'bob');
  const { stdout } = await dramaturg(['show', store, 'order-', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ id: 'order-4711' });
});

test('an id that is taken and a contact that is blank are refused', async () => {
  const store = await newStore();
  await greeted(store, 'conversation', 'ada');
  const start = (...args: string[]) =>
    dramaturg(['start', store, 'customer-intake.plan.json', ...args]);
  expect(await start('--id', 'conversation')).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'error: There is an instance "conversation" already.\n' +
      'hint: Choose another --id, or leave it out.\n',
  });
  expect((await start('--contact', ' ')).stderr).toBe('error: The contact is blank.\n');
  expect((await start('--channel', 'pigeon')).stderr).toBe(
    'error: There is no channel "pigeon". The host has these: console, webhook.\n',
  );
  expect((await start('--heartbeat', '0')).stderr).toMatch(
    /^error: .*"heartbeat_config.interval_ms" must be a whole number from 1 to 2147483647.*\nhint: See --heartbeat, --max-followups and --todo\.\n$/,
  );
});

test('input and events that are not JSON get a hint with an example', async () => {
  const store = await newStore();
  const start = (input: string) =>
    dramaturg(['start', store, 'customer-intake.plan.json', '--input', input]);
  expect((await start('{"a": ')).stderr).toMatch(
    /^error: --input is not JSON: .*\nhint: Write it like this: --input '/,
  );
  expect((await start('[1]')).stderr).toContain('error: The input is not a JSON object.\n');
  await greeted(store, 'conversation', 'ada');
  const send = (event: string) => dramaturg(['send', store, 'conversation', '--event', event]);
  expect((await send('{"name": 1}')).stderr).toContain(
    'error: The event is not a JSON object with a "type".\n',
  );
  expect((await send('{type')).stderr).toMatch(/^error: --event is not JSON: /);
  expect(await send('{"type": "decision.made"}')).toEqual({
    code: 6,
    stdout: '',
    stderr: 'refused: Nothing waits for a decision. (decision/not-open)\n',
  });
  expect((await send('{"type": "turn.ended"}')).stderr).toBe(
    'error: "turn.ended" is an event that only the host sends to its instances.\n',
  );
});

test('a conversation without its input reports the missing fields', async () => {
  const store = await newStore();
  const plan = JSON.stringify({
    id: 'small',
    title: 'Small',
    session_context: {
      fields: [{ id: 'company', label: 'Company', type: 'string', required: true }],
    },
    states: [{ id: 'hello', title: 'Hello', tasks: [{ id: 'ask', description: 'Ask' }] }],
  });
  const folder = await folderWith({ 'small.plan.json': plan });
  const file = join(folder, 'small.plan.json');
  const started = await dramaturg(['start', store, file]);
  expect(started).toMatchObject({ code: 2, stdout: '' });
  expect(started.stderr).toMatch(/company.*\nhint: Give the missing fields with --input/);
  expect(await dramaturg(['start', store, file, '--input', '{"company": "Acme"}'])).toMatchObject({
    code: 0,
  });
});

test('words without quotes are reported', async () => {
  const store = await newStore();
  await mkdir(dirname(store), { recursive: true });
  expect((await dramaturg(['send', store, 'some-id', 'I', 'am', 'Ada'])).stderr).toBe(
    'error: The message has several words without quotes.\n' +
      'hint: Put quotes around the text: dramaturg send <store> <id> "<text>".\n',
  );
  expect((await dramaturg(['send', store, 'some-id'])).stderr).toContain(
    'error: The text of the message is missing.\n',
  );
  expect((await dramaturg(['send', store, 'a', 'b', '--from', 'ada'])).stderr).toContain(
    'error: --from takes the store and the text only.\n',
  );
});

test('a message of a contact without a conversation is refused', async () => {
  const store = await newStore();
  await greeted(store, 'conversation', 'ada');
  const sent = await dramaturg(['send', store, '--from', 'bob', 'Hi.']);
  expect(sent).toMatchObject({ code: 6, stdout: '' });
  expect(sent.stderr).toContain('No instance holds the contact "bob"');
});

test('wrong options of serve are reported before the store is opened', async () => {
  const store = await newStore();
  const serve = async (...args: string[]) => (await dramaturg(['serve', store, ...args])).stderr;
  expect(await serve('--definition', 'custmer-intake.plan.json')).toContain(
    'hint: Did you mean "customer-intake.plan.json"?\n',
  );
  expect(await serve('--definition', 'with-mistakes.plan.json')).toContain('plan/unknown-target');
  expect(
    await serve(
      '--definition',
      'order.asl.json',
      '--definition',
      'order=customer-intake.plan.json',
    ),
  ).toContain('error: Two definitions are called "order".\n');
  expect(await serve('--webhook', 'ftp://example.com')).toContain(
    'error: "ftp://example.com" is not a URL of a webhook.\n',
  );
  expect(await serve('--agents', 'none.mjs')).toContain('error: There is no file "none.mjs".\n');
  expect(await serve('--within', 'soon')).toContain('It must be a whole number, 0 or more.');
  for (const timeout of ['0', 'never'])
    expect(await serve('--call-timeout', timeout)).toContain(
      `'--call-timeout <ms>' argument '${timeout}' is invalid. It must be a whole number, 1 or more.\n`,
    );
  expect(existsSync(store)).toBe(false);
});

test('control characters from a store never reach the terminal', async () => {
  const store = await newStore();
  await dramaturg([
    'start',
    store,
    'customer-intake.plan.json',
    '--id',
    'id\u001b[31m-x',
    '--contact',
    'ada\u001b]0;title\u0007',
  ]);
  for (const command of [
    ['ps', store],
    ['show', store, 'id\u001b[31m'],
    ['logs', store, 'id\u001b[31m'],
    ['logs', store, 'id\u001b[31m', '--journal'],
    ['pause', store, 'id\u001b[31m'],
    ['ps', store, '--json'],
  ]) {
    const { code, stdout, stderr } = await dramaturg(command);
    expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' });
    // oxlint-disable-next-line no-control-regex -- these must not be printed
    expect(stdout + stderr).not.toMatch(/[\u0007\u001b]/);
  }
});

test('a damaged record is reported, and the others are listed', async () => {
  const store = await newStore();
  await greeted(store, 'first', 'ada');
  await greeted(store, 'second', 'bob');
  await rm(join(store, 'data', 'records', 'first.json'));
  const listed = await dramaturg(['ps', store]);
  expect(listed.code).toBe(0);
  expect(listed.stdout).toContain('second');
  expect(listed.stderr).toMatch(/A damaged record is set aside in .*first/);
  const shown = await dramaturg(['show', store, 'first']);
  expect(shown).toMatchObject({ code: 7, stdout: '' });
  expect(shown.stderr).toContain('damaged');
});

describe('a wrong start is refused with a hint, and starts no instance', () => {
  test.for([
    [['--contcat', 'ada'], /Unknown option '--contcat'.*Did you mean --contact\?/s],
    [['--input', '{"opning": "person"}'], /"session\.opning" is unknown.*Correct or remove/s],
    [['--input', '[1]'], /not a JSON object/],
    [['--contact', ' '], /The contact is blank/],
    [['--max-followups', '-1'], /whole number/],
  ] as const)('%s', async ([options, message]) => {
    const folder = await folderWith({ 'small.plan.json': smallPlan() });
    const started = await dramaturg(['start', 's', 'small.plan.json', ...options], { cwd: folder });
    expect(started).toMatchObject({ code: 2, stderr: expect.stringMatching(message) as string });
    const listed = await dramaturg(['ps', 's', '--all'], { cwd: folder });
    expect(listed.stdout).not.toContain('small');
  });
});

test('--input can let the contact begin, and a refused message prints its code', async () => {
  const folder = await folderWith({ 'small.plan.json': smallPlan() });
  const cwd = { cwd: folder };
  const options = ['--contact', 'ada', '--id', 'a', '--input', '{"opening": "person"}'];
  expect(await dramaturg(['start', 's', 'small.plan.json', ...options], cwd)).toMatchObject({
    code: 0,
    stdout: '✓ a: WAITING_FOR_REPLY\n',
  });
  const nobody = await dramaturg(['send', 's', '--from', 'bob', 'Hi.', '--json'], cwd);
  expect(nobody.code).toBe(6);
  expect(JSON.parse(nobody.stdout)).toMatchObject({ code: 'host/no-holder' });
  const taken = await dramaturg(['send', 's', '--from', 'ada', 'Hi.', '--json'], cwd);
  expect(JSON.parse(taken.stdout)).toMatchObject({ accepted: true, messages: [{ role: 'agent' }] });
  const again = await dramaturg(['start', 's', 'small.plan.json', ...options, '--json'], cwd);
  expect(again.code).toBe(2);
  expect(JSON.parse(again.stdout)).toMatchObject({ code: 'host/exists' });
});

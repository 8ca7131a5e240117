import type { Ports } from '@dramaturg/compiler';
import type { StoredConversation } from '@dramaturg/react';
import { compile, understudyPorts } from 'dramaturg/browser';
import { expect, test } from 'vitest';
import { ConversationRun } from '../src/conversation/conversation-run.ts';
import { branches } from './branches.ts';
import { greeting } from './greeting.ts';
import { until } from './until.ts';

test('a running conversation shows messages, deliverables, events and its state', async () => {
  const run = begin(greeting);
  await until(() => run.state.turn === 'person');
  expect(run.state.messages.map(({ role }) => role)).toEqual(['agent']);
  expect(run.state.values).toEqual([
    { conversation: expect.objectContaining({ plan: { welcome: 'greet' } }) },
  ]);

  run.say('Ada');
  expect(run.state.turn).toBe('agent');
  await until(() => run.state.turn === 'ended');
  expect(run.state.messages[1]).toMatchObject({ role: 'person', text: 'Ada' });
  expect(run.state.deliverables).toEqual([
    {
      key: 'name',
      description: 'The name of the person',
      required: true,
      value: 'Ada',
      state: 'welcome',
    },
  ]);
  const types = run.state.events.map(({ source, event }) => `${source} ${event.type}`);
  expect(types[0]).toBe('machine state.entered');
  expect(types).toContain('person message.received');
  expect(types.at(-1)).toBe('machine conversation.ended');
});

test('the streamed part of a reply is shown until the message is sent', async () => {
  const run = begin(greeting, () => understudyPorts({ wordDelay: 1 }));
  const parts = new Set<string>();
  run.subscribe(() => run.state.partial !== undefined && parts.add(run.state.partial));
  await until(() => run.state.turn === 'person');
  expect(parts.size).toBeGreaterThan(2);
  expect(run.state.partial).toBeUndefined();
});

test('a workflow names the state that has failed, unless its error was caught', async () => {
  const run = begin(branches());
  await until(() => run.state.turn === 'ended');
  expect(run.state.failedIn).toBe('Read');
  const mended = begin(branches({ isCaught: true }));
  await until(() => mended.state.turn === 'ended');
  expect(mended.state.failedIn).toBeUndefined();
});

test('ports may change while it runs', async () => {
  const understudy = understudyPorts();
  let text = 'the first';
  const run = begin(greeting, () => ({
    ...understudy,
    reply: () => ({ text }),
    extract: () => ({ value: {} }),
  }));
  await until(() => run.state.turn === 'person');
  text = 'the second';
  run.say('...');
  await until(() => run.state.turn === 'person' && run.state.messages.length === 3);
  expect(run.state.messages.map((message) => message.text)).toEqual([
    'the first',
    '...',
    'the second',
  ]);
});

test('a port may be added during the run, and a removed one is reported as missing', async () => {
  let ports: Partial<Ports> = {};
  const run = begin(greeting, () => ports);
  const said = () => run.state.messages.at(-1)?.text ?? '';
  await until(() => said().includes('asks the port "reply", and none is provided'));
  ports = understudyPorts();
  run.say('Hello?');
  await until(() => run.state.turn === 'person' && run.state.messages.at(-1)?.role === 'agent');
  ports = {};
  run.say('Ada');
  await until(() => run.state.messages.at(-1)?.role === 'note');
  expect(said()).toContain('asks the port "extract", and none is provided');
});

test('a failed port adds a note to the conversation', async () => {
  const run = begin(greeting, () => ({
    reply: () => {
      throw new Error('No model today.');
    },
  }));
  await until(() => run.state.messages.length > 0);
  expect(run.state.messages[0]).toMatchObject({
    role: 'note',
    text: expect.stringContaining('No model today.'),
  });
});

test('a failed turn is retried by retry, by the same message, or after it was stored', async () => {
  const ways: ((run: ConversationRun, begun: () => ConversationRun) => ConversationRun | void)[] = [
    (run) => run.retry(),
    (run) => run.say('Ada'),
    (_, begun) => {
      const second = begun();
      expect(second.state.isFailed).toBe(true);
      second.retry();
      return second;
    },
  ];
  for (const again of ways) {
    let isDown = true;
    const understudy = understudyPorts();
    const ports = (): Partial<Ports> => ({
      ...understudy,
      extract: (input, call) => {
        if (isDown) throw new Error('No model today.');
        return understudy.extract(input, call);
      },
    });
    const run = begin(twoQuestions, ports);
    await until(() => run.state.turn === 'person');
    expect(run.state.isFailed).toBe(false);
    run.say('Ada');
    await until(() => run.state.isFailed);
    expect(run.state.turn).toBe('person');
    isDown = false;
    const stored = run.persist();
    const after = again(run, () => begin(twoQuestions, ports, { from: stored })) ?? run;
    await until(() => after.state.turn === 'person' && !after.state.isFailed);
    expect(after.state.deliverables).toMatchObject([{ key: 'name', value: 'Ada' }, town]);
    const said = after.state.messages.filter(({ role }) => role === 'person');
    expect(said.map(({ text }) => text)).toEqual(['Ada']);
  }
});

test('a stored run continues with its messages and deliverables', async () => {
  const first = begin(twoQuestions);
  await until(() => first.state.turn === 'person');
  first.say('Ada');
  await until(() => first.state.turn === 'person');
  const stored = JSON.parse(JSON.stringify(first.persist())) as StoredConversation;
  first.stop();

  const heard: string[][] = [];
  const understudy = understudyPorts();
  const listening: Partial<Ports> = {
    ...understudy,
    reply: async (input, call) => {
      const lines = await call.transcript!(10);
      heard.push(lines.map(({ text }) => text));
      return understudy.reply(input, call);
    },
  };
  const second = begin(twoQuestions, () => listening, { from: stored });
  expect(second.state.messages).toEqual(first.state.messages);
  expect(stored.deliverables).toMatchObject([{ key: 'name', value: 'Ada' }]);
  expect(second.state.deliverables).toMatchObject([{ key: 'name', value: 'Ada' }, town]);
  await until(() => second.state.turn === 'person');
  second.say('Turin');
  await until(() => second.state.turn === 'ended');
  expect(second.state.deliverables).toMatchObject([{ value: 'Ada' }, { value: 'Turin' }]);
  const { messages } = second.state;
  expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
  expect(heard.at(-1)).toEqual(expect.arrayContaining(['Ada', 'Turin']));
});

test('a run that cannot be continued has an error and no value', () => {
  const snapshot = { status: 'active', value: 'nowhere', context: {}, children: {} };
  const run = begin(greeting, undefined, { from: { snapshot, messages: [], deliverables: [] } });
  expect(String(run.state.error)).toContain('nowhere');
  expect(run.state.turn).toBe('ended');
  expect(run.state.values).toEqual([]);
});

test('an ended run refuses messages with a note', async () => {
  const run = begin(greeting);
  run.send({ type: 'cancel' });
  await until(() => run.state.turn === 'ended');
  run.say('Wait!');
  expect(run.state.messages.at(-1)).toMatchObject({
    role: 'note',
    text: 'It has ended and accepts no more messages.',
  });
});

test('an invalid input is reported as the error', async () => {
  const withForm = JSON.stringify({
    ...JSON.parse(greeting),
    session_context: {
      fields: [{ id: 'company', label: 'Company', type: 'string', required: true }],
    },
  });
  const run = begin(withForm);
  await until(() => run.state.error !== undefined);
  expect(String(run.state.error)).toContain('company');
  expect(run.state.turn).toBe('ended');
});

test('the person at the page is asked once for a decision', async () => {
  const run = begin(approval);
  await until(() => run.state.decisions.length === 1);
  const [decision] = run.state.decisions;
  expect(decision).toMatchObject({ prompt: 'Send it?', options: [{ id: 'yes' }, { id: 'no' }] });
  run.decide(decision!.key, { decision: 'yes' });
  await until(() => run.state.turn === 'ended');
  expect(run.state.decisions).toEqual([]);
  expect(run.state.snapshot?.output).toMatchObject({ status: 'succeeded' });
});

test('the values include states inside the items of a Map', async () => {
  let answer: (output: { result: null }) => void = () => {};
  const pending = new Promise<{ result: null }>((resolve) => (answer = resolve));
  const run = begin(map, () => ({ runAgent: () => pending }), { input: { input: [1, 2] } });
  await until(() => run.state.values.length === 3);
  expect(run.state.values.slice(1)).toEqual([
    { Each: { working: { Work: 'working' } } },
    { Each: { working: { Work: 'working' } } },
  ]);
  answer({ result: null });
  await until(() => run.state.turn === 'ended');
  expect(run.state.values).toHaveLength(1);
});

/** Wanted, and not known. */
const town = { key: 'town', description: 'Town', required: true };

const twoQuestions = JSON.stringify({
  title: 'Two questions',
  states: [
    {
      id: 'visit',
      type: 'strict',
      tasks: [
        { id: 'who', description: 'Who', deliverables: [{ key: 'name', description: 'Name' }] },
        { id: 'where', description: 'Where', deliverables: [{ key: 'town', description: 'Town' }] },
      ],
    },
  ],
});

const approval = JSON.stringify({
  StartAt: 'Ask',
  States: {
    Ask: {
      Type: 'Approval',
      Prompt: 'Send it?',
      Options: ['yes', 'no'],
      Choices: [],
      Default: 'Done',
    },
    Done: { Type: 'Succeed' },
  },
});

const map = JSON.stringify({
  StartAt: 'Each',
  States: {
    Each: {
      Type: 'Map',
      ItemsPath: '$',
      MaxConcurrency: 2,
      ItemProcessor: {
        StartAt: 'Work',
        States: { Work: { Type: 'Task', Agent: 'worker', End: true } },
      },
      End: true,
    },
  },
});

function begin(
  text: string,
  ports: ConstructorParameters<typeof ConversationRun>[1] = understudyPorts,
  options: ConstructorParameters<typeof ConversationRun>[2] = {},
): ConversationRun {
  const { machine, diagnostics } = compile(text);
  if (!machine) throw new Error(JSON.stringify(diagnostics));
  const run = new ConversationRun(machine, ports, options);
  run.start();
  return run;
}

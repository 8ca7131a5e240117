import type { UIMessage } from 'ai';
import { compile, conversationLifecycle, type Ports, understudyPorts } from 'dramaturg';
import { expect, test } from 'vitest';
import { until } from '../host-cli/processes.ts';
import { agUiClient, aiSdkClient } from './edge/clients.ts';
import { example, served } from './stage.ts';
import { withoutRepeating } from '../host/without-repeating.ts';

type Served = Awaited<ReturnType<typeof served>>;

const pages = [
  ['AG-UI', agUiClient],
  ['the AI SDK', aiSdkClient],
] as const;

async function linesOf(host: Served['host'], contact: string) {
  const { items } = await host.list({ contact }, { limit: 10 });
  const lines = await host.transcript(items[0]!.id, { from: 0, limit: 1_000 });
  return { id: items[0]!.id, lines };
}

async function written(host: Served['host'], contact: string): Promise<readonly string[]> {
  const { lines } = await linesOf(host, contact);
  return lines.filter(({ role }) => role === 'contact').map(({ text }) => text);
}

test('all messages of a request that are not stored yet are received, in their order', async () => {
  const { host, url } = await served();
  const user = (id: string, text: string) => ({ id, role: 'user', content: text }) as const;
  const agUi = agUiClient(url, 'ada', [user('m-1', 'Hello'), user('m-2', 'I am Ada')]);
  await agUi.say('Ada Byron', 'm-3');
  expect(await written(host, 'ada')).toEqual(['Hello', 'I am Ada', 'Ada Byron']);

  const line = (id: string, text: string): UIMessage => ({
    id,
    role: 'user',
    parts: [{ type: 'text', text }],
  });
  const aiSdk = aiSdkClient(url, 'bob', [line('m-1', 'Hello')]);
  await aiSdk.say('Bob', 'm-2');
  await aiSdk.say('4711', 'm-3');
  expect(await written(host, 'bob')).toEqual(['Hello', 'Bob', '4711']);
});

test.each(pages)(
  'a page of %s sends a megabyte of history, and what is new counts',
  async (_, make) => {
    const { host, url, ask } = await served();
    await make(url, 'ada').say('Hello', 'm-1');
    const long = 'All that was said before. '.repeat(50_000);
    const old = [
      {
        id: 'm-1',
        role: 'user' as const,
        content: 'Hello',
        parts: [{ type: 'text' as const, text: 'Hello' }],
      },
      {
        id: 'a-1',
        role: 'assistant' as const,
        content: long,
        parts: [{ type: 'text' as const, text: long }],
      },
    ];
    const page = make === agUiClient ? agUiClient(url, 'ada', old) : aiSdkClient(url, 'ada', old);
    expect(await page.say('Ada Byron', 'm-2')).toBe('answered');
    expect(await written(host, 'ada')).toEqual(['Hello', 'Ada Byron']);
    const body = {
      id: 'bob',
      threadId: 'bob',
      runId: 'r',
      messages: [{ ...old[1]!, id: 'm-9', role: 'user' }],
    };
    const path = make === agUiClient ? '/ag-ui/intake' : '/chat/intake';
    expect(await ask('POST', path, body)).toMatchObject({
      status: 413,
      body: { code: 'request/too-large' },
    });
  },
);

test('a page of the AI SDK that asks for an answer again gets the stored one, once', async () => {
  const { host, url } = await served();
  const page = aiSdkClient(url, 'ada');
  await page.say('Hello', 'm-1');
  const shown = page.shown();
  for (const ask of [page.regenerate, page.again, page.regenerate]) {
    expect(await ask()).toBe('answered');
    expect([page.shown(), page.bubbles()]).toEqual([shown, ['m-1/answer']]);
  }
  expect(await written(host, 'ada')).toEqual(['Hello']);
});

test('a text that was replaced is not streamed again with the next answer', async () => {
  let turns = 0;
  const reply: Ports['reply'] = async (_, { onText }) => {
    onText('Something else');
    turns += 1;
    await until(() => page.shown().length === turns);
    return { text: 'What is stored.' };
  };
  const { url } = await served({}, { ports: { ...understudyPorts(), reply } });
  const page = aiSdkClient(url, 'ada');
  await page.say('Hello', 'm-1');
  await page.say('Ada Byron', 'm-2');
  const replaced = page.chat.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'data-replaced' ? part.data : [])),
  );
  expect(replaced).toEqual(Array(2).fill(expect.objectContaining({ text: 'What is stored.' })));
  expect(page.shown()).toEqual(['Something else', 'Something else']);
});

test('a person at the desk answers a page, and the page says what it has read', async () => {
  const { host, url } = await served({}, { channels: {} });
  const agUi = agUiClient(url, 'ada');
  const aiSdk = aiSdkClient(url, 'bob');
  for (const [contact, page] of [
    ['ada', agUi],
    ['bob', aiSdk],
  ] as const) {
    await page.say('Hello', 'm-1');
    const { id } = await linesOf(host, contact);
    await host.takeOver(id, { by: 'ana' });
    expect(await host.intervene(id, 'Ana here.', { by: 'ana' })).toMatchObject({ accepted: true });
    const deliveryOf = async () =>
      (await linesOf(host, contact)).lines.find(({ role }) => role === 'manual')?.delivery?.status;
    expect(await deliveryOf()).toBeUndefined();
    expect(await (page === aiSdk ? aiSdk.resume() : page.again())).toBe('taken_over');
    expect(page.shown().slice(1)).toEqual(['Ana here.']);
    await until(async () => (await deliveryOf()) === 'read');
    await host.handBack(id, { by: 'ana' });
    await host.intervene(id, 'Ana again.', { by: 'ana' });
    expect(await page.say('Ada Byron', 'm-2')).toBe('answered');
    expect(page.shown()[2]).toBe('Ana again.');
    expect(new Set(page.shown()).size).toBe(page.shown().length);
  }
  expect((await fetch(`${url}/chat/intake/bob/stream`)).status).toBe(204);
});

test('files, parts and fields of a message arrive', async () => {
  const { host, url, ask } = await served();
  const file = {
    type: 'file',
    mediaType: 'application/pdf',
    filename: 'bill.pdf',
    url: 'https://files.example/1',
  };
  const sent = async (id: string, message: object) =>
    ask('POST', '/chat/intake', { id, messages: [{ id: 'm-1', role: 'user', ...message }] }).catch(
      () => {},
    );
  const lineOf = async (contact: string) =>
    (await linesOf(host, contact)).lines.find(({ role }) => role === 'contact');
  const text = (value: string) => ({ type: 'text', text: value });
  await sent('a', { parts: [text('My name is'), text('Ada'), file] });
  const attachments = [{ url: file.url, type: file.mediaType, name: file.filename }];
  expect(await lineOf('a')).toMatchObject({ text: 'My name is\nAda', data: { attachments } });
  await sent('b', { parts: [file] });
  expect(await lineOf('b')).toMatchObject({ text: '[bill.pdf]', data: { attachments } });
  const own = { type: 'data-order', data: { number: 7 } };
  await sent('c', { metadata: { page: '/prices' }, parts: [text('Hi'), own] });
  expect((await lineOf('c'))!.data).toEqual({ metadata: { page: '/prices' }, parts: [own] });

  const binary = {
    type: 'binary',
    mimeType: 'image/png',
    filename: 'a.png',
    url: 'https://files.example/2',
  };
  const image = {
    type: 'image',
    source: { type: 'url', value: binary.url, mimeType: 'image/png' },
  };
  for (const [contact, part] of [
    ['d', binary],
    ['e', image],
  ] as const) {
    const content = [text('Look'), part];
    const run = { threadId: contact, runId: 'r', messages: [{ id: 'm-1', role: 'user', content }] };
    await ask('POST', '/ag-ui/intake', run).catch(() => {});
    expect(await lineOf(contact)).toMatchObject({
      text: 'Look',
      data: { attachments: [{ url: binary.url, type: 'image/png' }] },
    });
  }
  const inside = { ...file, url: `data:application/pdf;base64,${'A'.repeat(5_000)}` };
  const page = aiSdkClient(url, 'f', [{ id: 'm-1', role: 'user', parts: [inside] } as UIMessage]);
  expect(await page.again()).toBe('failed');
  expect((await host.list({ contact: 'f' }, { limit: 1 })).items).toEqual([]);
});

test('a reply that is longer than a message may be is a failure with a code', async () => {
  const reply: Ports['reply'] = async () => ({ text: 'All of it. '.repeat(12_000) });
  const ports = { ...understudyPorts(), reply };
  const definitions = { intake: withoutRepeating(await example('customer-intake.plan')) };
  const { url, host } = await served({}, { ports, definitions });
  const page = agUiClient(url, 'ada');
  expect(await page.say('Hello', 'm-1')).toBe('port/bad-output');
  expect(page.shown()).toEqual([]);
  expect(await host.queues()).toMatchObject({ failed: 1 });
});

test('a conversation that asks for a person says so', async () => {
  const lifecycle = compile(
    JSON.stringify({
      ...conversationLifecycle,
      policies: { ...conversationLifecycle.policies, model_failure: { attempts: 1 } },
    }),
  );
  const definition = await example('customer-intake.plan');
  const ports = understudyPorts();
  const toolCalls = [
    { name: 'request_human_intervention', arguments: { reason: 'A hard question.' } },
  ];
  const reply: Ports['reply'] = async () => ({ text: 'One moment.', toolCalls });
  const { url } = await served(
    {},
    { ports: { ...ports, reply }, definitions: { intake: { definition, lifecycle } } },
  );
  const page = agUiClient(url, 'ada');
  expect(await page.say('Hello', 'm-1')).toBe('waits_for_person');
  expect(page.shown()).toEqual(['One moment.']);
});

/** A plan whose second task is done by the agent `who`. */
function planWithAgent(agent: string) {
  const ask = {
    id: 'name',
    description: 'Ask',
    deliverables: [{ key: 'name', description: 'Your name' }],
  };
  const work = { id: 'work', description: 'Work', agent, input: { name: '{{name}}' } };
  const states = [
    {
      id: 'first',
      title: 'First',
      type: 'strict',
      tasks: [ask, work],
      transitions: [{ target_state_id: 'last' }],
    },
    {
      id: 'last',
      title: 'Last',
      tasks: [
        { id: 'age', description: 'Ask', deliverables: [{ key: 'age', description: 'Your age' }] },
      ],
    },
  ];
  return compile(JSON.stringify({ id: 'outer', title: 'Outer', states }), {
    fileName: 'outer.plan.json',
  });
}

const waitingAgents = {
  waits_for_person: { Type: 'Approval', Prompt: 'Is it right?', End: true },
  waits: { Type: 'Wait', Seconds: 86_400, End: true },
};

test.each(pages)(
  'a stream of %s ends when an agent of the conversation waits for a person or a time',
  async (_, make) => {
    for (const [reason, A] of Object.entries(waitingAgents)) {
      const definitions = {
        intake: planWithAgent('workflow:work'),
        work: compile(JSON.stringify({ StartAt: 'A', States: { A } }), {
          fileName: 'work.asl.json',
        }),
      };
      const { host, url } = await served({}, { definitions });
      const page = make(url, 'ada');
      await page.say('Hello', 'm-1');
      expect(await page.say('Ada Byron', 'm-2')).toBe(reason);
      const { items } = await host.decisions({}, { limit: 10 });
      if (items.length === 0) continue;
      const again = page.say('Are you there?', 'm-3');
      await host.decide(items[0]!.decision, { decision: 'approve', by: 'ana' });
      expect(await again).toMatch(/answered|waits_for_person/);
    }
  },
);

test.each(pages)(
  'a page of %s talks with a conversation that its conversation has called',
  async (_, make) => {
    const inner = {
      id: 'inner',
      title: 'Inner',
      states: [
        {
          id: 's',
          title: 'S',
          tasks: [
            {
              id: 't',
              description: 'Ask',
              deliverables: [{ key: 'colour', description: 'Your colour' }],
            },
          ],
        },
      ],
    };
    const definitions = {
      intake: planWithAgent('plan:inner'),
      inner: compile(JSON.stringify(inner), { fileName: 'inner.plan.json' }),
    };
    const { url } = await served({}, { definitions });
    const page = make(url, 'ada');
    const endings: unknown[] = [];
    for (const [text, id] of [
      ['Hello', 'm-1'],
      ['Ada Byron', 'm-2'],
      ['Blue', 'm-3'],
      ['Thanks', 'm-4'],
    ] as const)
      endings.push(await page.say(text, id));
    expect(endings).toEqual(Array(4).fill('answered'));
    expect(page.shown().slice(0, 4)).toEqual([
      'What is your name?',
      'What is your colour?',
      'Goodbye!',
      'What is your age?',
    ]);
  },
);

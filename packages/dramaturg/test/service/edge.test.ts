import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpAgent, type Message, type State } from '@ag-ui/client';
import { Chat } from '@ai-sdk/react';
import { DefaultChatTransport, type UIMessage } from 'ai';
import {
  compile,
  conversationLifecycle,
  type Ports,
  sqliteStore,
  understudyPorts,
} from 'dramaturg';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../host-cli/processes.ts';
import { example, served } from './stage.ts';
import { withoutRepeating } from '../host/without-repeating.ts';

/** An agent whose replies wait until the test lets them go. */
function heldPorts() {
  const ports = understudyPorts();
  const held: { readonly say: (text?: string) => void; readonly fail: () => void }[] = [];
  const reply: Ports['reply'] = async (input, call) => {
    const text = await new Promise<string | undefined>((resolve, reject) => {
      held.push({ say: resolve, fail: () => reject(new Error('Out of order.')) });
      call.signal.addEventListener('abort', () => reject(new Error('Aborted.')));
    });
    return text === undefined ? ports.reply(input, call) : { text };
  };
  const next = async () => {
    await until(async () => held.length > 0);
    return held.shift()!;
  };
  return { ports: { ...ports, reply }, held, next };
}

type Served = Awaited<ReturnType<typeof served>>;

/** A page in one of the two protocols. */
interface Page {
  /** Sends a message, and reads the stream to its end. @returns how it ended */
  readonly say: (text: string, id: string) => Promise<unknown>;
  /** What it shows of the agent, a text each. */
  readonly shown: () => readonly string[];
  /** Changes its only message. */
  readonly edit: (text: string, id: string) => Promise<unknown>;
  /** Sends its last message again. */
  readonly again: () => Promise<unknown>;
  /** Stops reading, as the button of the page does. */
  readonly stop: () => Promise<void> | void;
}

type MakePage = (to: Pick<Served, 'url'>, contact: string) => Page;

function agUiPage({ url }: Pick<Served, 'url'>, contact: string, messages: Message[] = []): Page {
  const agent = new HttpAgent({ url: `${url}/ag-ui/intake`, threadId: contact });
  agent.setMessages(messages);
  const again = async () => {
    let ending: unknown;
    await agent
      .runAgent(
        {},
        {
          onRunErrorEvent: ({ event }) => void (ending = event.code),
          onRunFinishedEvent: ({ state }) => void (ending = (state as State)['reason']),
        },
      )
      .catch(() => {});
    return ending;
  };
  return {
    again,
    stop: () => agent.abortRun(),
    say: (text, id) => {
      agent.addMessage({ id, role: 'user', content: text });
      return again();
    },
    edit: (text, id) => {
      agent.setMessages([{ id, role: 'user', content: text }]);
      return again();
    },
    shown: () =>
      agent.messages
        .filter(({ role }) => role === 'assistant')
        .map(({ content }) => content as string),
  };
}

/** The chat of `useChat`. */
function aiSdkPage({ url }: Pick<Served, 'url'>, contact: string, messages: UIMessage[] = []) {
  const transport = new DefaultChatTransport({ api: `${url}/chat/intake` });
  const chat = new Chat<UIMessage>({ id: contact, transport, messages, onError: () => {} });
  const parts = () =>
    chat.messages.filter(({ role }) => role === 'assistant').flatMap((each) => each.parts);
  /** How the last stream has ended. */
  const ending = () => {
    if (chat.status === 'error') return 'failed';
    const state = chat.lastMessage?.parts.findLast(({ type }) => type === 'data-state');
    return (state as { data?: { reason?: string } } | undefined)?.data?.reason;
  };
  const sent = async (sending: Promise<void>) => {
    await sending;
    return ending();
  };
  return {
    chat,
    again: () => sent(chat.sendMessage()),
    say: (text: string, id: string) =>
      sent(chat.sendMessage({ id, role: 'user', parts: [{ type: 'text', text }] })),
    edit: (text: string, messageId: string) => sent(chat.sendMessage({ text, messageId })),
    stop: () => chat.stop(),
    resume: () => sent(chat.resumeStream()),
    regenerate: () => sent(chat.regenerate()),
    shown: () => parts().flatMap((part) => (part.type === 'text' ? part.text : [])),
    bubbles: () => chat.messages.filter(({ role }) => role === 'assistant').map(({ id }) => id),
  };
}

const pages: readonly (readonly [string, MakePage])[] = [
  ['AG-UI', agUiPage],
  ['the AI SDK', aiSdkPage],
];

async function linesOf(host: Served['host'], contact: string) {
  const { items } = await host.list({ contact }, { limit: 10 });
  const lines = await host.transcript(items[0]!.id, { from: 0, limit: 1_000 });
  return { id: items[0]!.id, lines };
}

async function written(host: Served['host'], contact: string): Promise<readonly string[]> {
  const { lines } = await linesOf(host, contact);
  return lines.filter(({ role }) => role === 'contact').map(({ text }) => text);
}

/** A host whose replies wait for the test. */
async function heldHost() {
  const { ports, next } = heldPorts();
  const definitions = { intake: withoutRepeating(await example('customer-intake.plan')) };
  return { ...(await served({}, { ports, definitions })), next };
}

/** A conversation that waits for the second message of its contact. */
async function greeted(
  stage: Awaited<ReturnType<typeof heldHost>>,
  make: MakePage,
  contact = 'ada',
) {
  const page = make(stage, contact);
  const first = page.say('Hello', 'm-1');
  (await stage.next()).say('What is your name?');
  expect(await first).toBe('answered');
  return { ...stage, page, id: (await linesOf(stage.host, contact)).id };
}

type Reply = Awaited<ReturnType<ReturnType<typeof heldPorts>['next']>>;

test.each(pages)('a stream of %s ends in every resting state, with the reason', async (_, make) => {
  const endings: Readonly<
    Record<
      string,
      (stage: Awaited<ReturnType<typeof greeted>>, reply: Reply) => Promise<unknown> | void
    >
  > = {
    answered: async ({ next }, { say }) => {
      say('One.');
      (await next()).say('Two.');
    },
    'port/failed': (__, { fail }) => fail(),
    paused: ({ host, id }) => host.pause(id),
    taken_over: ({ host, id }) => host.takeOver(id, { by: 'ana' }),
    ended: ({ host, id }) => host.cancel(id),
  };
  const all = await heldHost();
  for (const [reason, happen] of Object.entries(endings)) {
    const stage = await greeted(all, make, reason);
    const { page, next, host, url } = stage;
    const first = page.say('Ada', 'm-2');
    const reply = await next();
    // During the turn.
    const second = make({ url }, reason).say('Ada Byron', 'm-3');
    await until(async () => (await written(host, reason)).length === 3);
    await happen(stage, reply);
    const expected = reason === 'port/failed' && make !== agUiPage ? 'failed' : reason;
    const endedBoth = [await first, await second];
    // Nothing is made any more: a message ends with the same reason.
    const isHeld = ['paused', 'taken_over', 'port/failed'].includes(reason);
    const later = isHeld ? await page.say('Still there?', 'm-4') : expected;
    expect([...endedBoth, later]).toEqual([expected, expected, expected]);
  }
});

test.each(pages)(
  'two messages to %s during a turn are answered in their streams, each once',
  async (_, make) => {
    const { page, next, host, url } = await greeted(await heldHost(), make);
    const first = page.say('Ada', 'm-2');
    const reply = await next();
    // Another tab of the same person.
    const other = make({ url }, 'ada');
    const second = other.say('Ada Byron', 'm-3');
    await until(async () => (await written(host, 'ada')).length === 3);
    reply.say('One.');
    expect(await first).toBe('answered');
    (await next()).say('Two.');
    expect(await second).toBe('answered');
    expect(page.shown()).toEqual(['What is your name?', 'One.']);
    expect(other.shown()).toEqual(['Two.']);
  },
);

test('all messages of a request that are not stored yet are received, in their order', async () => {
  const { host, url } = await served();
  const user = (id: string, text: string) => ({ id, role: 'user', content: text }) as const;
  const agUi = agUiPage({ url }, 'ada', [user('m-1', 'Hello'), user('m-2', 'I am Ada')]);
  await agUi.say('Ada Byron', 'm-3');
  expect(await written(host, 'ada')).toEqual(['Hello', 'I am Ada', 'Ada Byron']);

  const line = (id: string, text: string): UIMessage => ({
    id,
    role: 'user',
    parts: [{ type: 'text', text }],
  });
  const aiSdk = aiSdkPage({ url }, 'bob', [line('m-1', 'Hello')]);
  await aiSdk.say('Bob', 'm-2');
  await aiSdk.say('4711', 'm-3');
  expect(await written(host, 'bob')).toEqual(['Hello', 'Bob', '4711']);
});

test.each(pages)(
  'an edited message of %s is a new one that says which it replaces',
  async (_, make) => {
    const { host, url } = await served();
    const page = make({ url }, 'ada');
    await page.say('Hello', 'm-1');
    for (let times = 0; times < 2; times += 1)
      expect(await page.edit('Good evening', 'm-1')).toBe('answered');
    const { lines } = await linesOf(host, 'ada');
    const own = lines.filter(({ role }) => role === 'contact');
    expect(own.map(({ text }) => text)).toEqual(['Hello', 'Good evening']);
    expect(own[1]!.data).toEqual({ replaces: 'm-1' });
  },
);

test.each(pages)(
  'a page of %s sends a megabyte of history, and what is new counts',
  async (_, make) => {
    const { host, url, ask } = await served();
    await make({ url }, 'ada').say('Hello', 'm-1');
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
    const page = make === agUiPage ? agUiPage({ url }, 'ada', old) : aiSdkPage({ url }, 'ada', old);
    expect(await page.say('Ada Byron', 'm-2')).toBe('answered');
    expect(await written(host, 'ada')).toEqual(['Hello', 'Ada Byron']);
    const body = {
      id: 'bob',
      threadId: 'bob',
      runId: 'r',
      messages: [{ ...old[1]!, id: 'm-9', role: 'user' }],
    };
    const path = make === agUiPage ? '/ag-ui/intake' : '/chat/intake';
    expect(await ask('POST', path, body)).toMatchObject({
      status: 413,
      body: { code: 'request/too-large' },
    });
  },
);

test.each(pages)('the same request to %s again at once goes on with the turn', async (_, make) => {
  const { ports, next } = heldPorts();
  const { url, host } = await served({}, { ports });
  const answers = Array.from({ length: 4 }, async () => {
    const page = make({ url }, 'ada');
    return [await page.say('Hello', 'm-1'), page.shown()];
  });
  (await next()).say('Welcome.');
  for (const answer of answers) expect(await answer).toEqual(['answered', ['Welcome.']]);
  expect(await written(host, 'ada')).toEqual(['Hello']);
});

/** An agent that says the beginning of a reply, and the rest when the test lets it. */
function halfPorts() {
  let goOn = () => {};
  const rest = new Promise<void>((resolve) => (goOn = resolve));
  const reply: Ports['reply'] = async (_, { onText }) => {
    onText('Half of it.');
    await rest;
    onText(' The other half.');
    return { text: 'Half of it. The other half.' };
  };
  return { ports: { ...understudyPorts(), reply }, goOn };
}

test('a run of AG-UI after an abort in the middle of a text shows it once', async () => {
  const { ports, goOn } = halfPorts();
  const { url } = await served({}, { ports });
  const agent = new HttpAgent({ url: `${url}/ag-ui/intake`, threadId: 'ada' });
  agent.addMessage({ id: 'm-1', role: 'user', content: 'Hello' });
  agent.addMessage({ id: 'd-1', role: 'developer', content: 'A note of the page.' });
  await agent.runAgent({}, { onTextMessageContentEvent: () => agent.abortRun() }).catch(() => {});
  expect(agent.messages.at(-1)!.content).toBe('Half of it.');
  const again = agent.runAgent();
  goOn();
  await again;
  const texts = () => agent.messages.map(({ content }) => content);
  expect(texts()).toEqual(['Hello', 'A note of the page.', 'Half of it. The other half.']);
  await agent.runAgent();
  expect(texts()).toHaveLength(3);
});

test('a page of the AI SDK that was cut off goes on in one message', async () => {
  const { ports, goOn } = halfPorts();
  const { url } = await served({}, { ports });
  const page = aiSdkPage({ url }, 'ada');
  const first = page.say('Hello', 'm-1');
  await until(() => page.shown()[0] === 'Half of it.');
  await page.chat.stop();
  await first;
  const resumed = page.resume();
  goOn();
  expect(await resumed).toBe('answered');
  expect(page.shown()).toEqual(['Half of it. The other half.']);
  expect(page.bubbles()).toEqual(['m-1/answer']);
});

test.each(pages)(
  'what a page of %s has lacked of an answer comes with the next one',
  async (_, make) => {
    const { ports, goOn } = halfPorts();
    const { url } = await served({}, { ports });
    const page = make({ url }, 'ada');
    const first = page.say('Hello', 'm-1');
    await until(() => page.shown()[0] === 'Half of it.');
    await page.stop();
    await first;
    const second = page.say('Ada Byron', 'm-2');
    goOn();
    expect(await second).toBe('answered');
    expect(await page.say('4711', 'm-3')).toBe('answered');
    expect(
      page
        .shown()
        .join(' ')
        .match(/Half of it\./g),
    ).toHaveLength(3);
    expect(
      page
        .shown()
        .join(' ')
        .match(/The other half\./g),
    ).toHaveLength(3);
  },
);

test.each(pages)('a person at the desk may say the same twice to a page of %s', async (_, make) => {
  const { host, url } = await served({}, { channels: {} });
  const page = make({ url }, 'ada');
  await page.say('Hello', 'm-1');
  const { id } = await linesOf(host, 'ada');
  await host.takeOver(id, { by: 'ana' });
  for (const message of ['m-2', 'm-3']) {
    await host.intervene(id, 'One moment.', { by: 'ana' });
    expect(await page.say('Are you there?', message)).toBe('taken_over');
  }
  expect(page.shown().slice(1)).toEqual(['One moment.', 'One moment.']);
});

test('a page of the AI SDK that asks for an answer again gets the stored one, once', async () => {
  const { host, url } = await served();
  const page = aiSdkPage({ url }, 'ada');
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
  const page = aiSdkPage({ url }, 'ada');
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
  const agUi = agUiPage({ url }, 'ada');
  const aiSdk = aiSdkPage({ url }, 'bob');
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
  const page = aiSdkPage({ url }, 'f', [{ id: 'm-1', role: 'user', parts: [inside] } as UIMessage]);
  expect(await page.again()).toBe('failed');
  expect((await host.list({ contact: 'f' }, { limit: 1 })).items).toEqual([]);
});

test('a reply that is longer than a message may be is a failure with a code', async () => {
  const { next, url, host } = await heldHost();
  const page = agUiPage({ url }, 'ada');
  const ending = page.say('Hello', 'm-1');
  (await next()).say('All of it. '.repeat(12_000));
  expect(await ending).toBe('port/bad-output');
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
  const page = agUiPage({ url }, 'ada');
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
      const page = make({ url }, 'ada');
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
    const page = make({ url }, 'ada');
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

test.each(pages)(
  'a page of %s goes on with its conversation after a restart of the host',
  async (_, make) => {
    const folder = await mkdtemp(join(tmpdir(), 'dramaturg-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const store = () => sqliteStore(join(folder, 'data.db'));
    const before = heldPorts();
    const first = await served({}, { ports: before.ports, store: store() });
    const asked = make(first, 'ada').say('Hello', 'm-1');
    await before.next();
    await first.host.stop({ within: 0 });
    // The page hears that the host has stopped.
    expect(await asked).toBe(make === agUiPage ? 'host/stopped' : 'failed');
    const after = heldPorts();
    const second = await served({}, { ports: after.ports, store: store() });
    const page = make(second, 'ada');
    const again = page.say('Hello', 'm-1');
    (await after.next()).say('Welcome.');
    expect(await again).toBe('answered');
    expect(page.shown()).toEqual(['Welcome.']);
    expect(await written(second.host, 'ada')).toEqual(['Hello']);
  },
);

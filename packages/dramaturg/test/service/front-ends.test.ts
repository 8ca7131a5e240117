import { HttpAgent, type Message } from '@ag-ui/client';
import { EventSchemas } from '@ag-ui/core/schemas';
import { DefaultChatTransport, type UIMessage } from 'ai';
import { type Ports, understudyPorts } from 'dramaturg';
import { expect, test } from 'vitest';
import { heldSpeech } from './held-speech.ts';
import { example, served } from './stage.ts';
import { withoutRepeating } from '../host/without-repeating.ts';

function textOf({ content }: Message): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

test('a client of AG-UI holds a conversation, and every event fits the schemas of the protocol', async () => {
  const { ports, release } = heldSpeech(1);
  const { url, host } = await served({}, { ports });
  const agent = new HttpAgent({ url: `${url}/ag-ui/intake`, threadId: 'ada' });
  const types: string[] = [];
  const deltas: string[] = [];
  const say = async (text: string, id: string) => {
    agent.addMessage({ id, role: 'user', content: text });
    await agent.runAgent(
      {},
      {
        onEvent: ({ event }) => {
          EventSchemas.parse(event);
          types.push(event.type);
        },
        onTextMessageContentEvent: ({ event }) => {
          deltas.push(event.delta);
          release();
        },
      },
    );
  };
  await say('Hello', 'm-1');
  expect(types[0]).toBe('RUN_STARTED');
  expect(types.at(-1)).toBe('RUN_FINISHED');
  expect(types).toContain('TEXT_MESSAGE_START');
  expect(deltas.length).toBeGreaterThan(1);
  await say('Ada Byron', 'm-2');
  const { items } = await host.list({ contact: 'ada' }, { limit: 10 });
  expect(items).toHaveLength(1);
  const lines = await host.transcript(items[0]!.id, { from: 0, limit: 100 });
  const said = lines.filter(({ role }) => role !== 'system').map(({ text }) => text);
  expect(agent.messages.map(textOf)).toEqual(said);
  expect(said).toHaveLength(4);
});

test('a refused message is an error of the run', async () => {
  const { url } = await served();
  const agent = new HttpAgent({ url: `${url}/ag-ui/nothing`, threadId: 'ada' });
  agent.addMessage({ id: 'm-1', role: 'user', content: 'Hello' });
  const codes: unknown[] = [];
  const errors = {
    onRunErrorEvent: ({ event }: { event: { code?: string } }) => void codes.push(event.code),
  };
  await agent.runAgent({}, errors).catch(() => {});
  expect(codes).toEqual(['host/unknown-definition']);
});

test('an answer that differs from its parts ends as it is stored', async () => {
  const ports = understudyPorts();
  const { url } = await served(
    {},
    {
      ports: {
        ...ports,
        reply: async (input, call) => {
          call.onText('Something else');
          return ports.reply(input, call);
        },
      },
    },
  );
  const agent = new HttpAgent({ url: `${url}/ag-ui/intake`, threadId: 'ada' });
  agent.addMessage({ id: 'd-1', role: 'developer', content: 'A note of the page.' });
  agent.addMessage({ id: 'm-1', role: 'user', content: 'Hello' });
  await agent.runAgent();
  expect(agent.messages.map(textOf)).toEqual([
    'A note of the page.',
    'Hello',
    expect.stringContaining('What is your name?'),
  ]);
});

test('what was streamed of a reply that fails is taken back', async () => {
  let areShown = () => {};
  const shown = new Promise<void>((resolve) => (areShown = resolve));
  const clients = new Set(['ag-ui', 'ai-sdk']);
  const shows = (client: string) => {
    clients.delete(client);
    if (clients.size === 0) areShown();
  };
  const reply: Ports['reply'] = async (_, { onText }) => {
    onText('It costs');
    await shown;
    return { text: 'It costs', finishReason: 'length' };
  };
  const { url } = await served(
    {},
    {
      definitions: { intake: withoutRepeating(await example('customer-intake.plan')) },
      ports: { ...understudyPorts(), reply },
    },
  );
  const agent = new HttpAgent({ url: `${url}/ag-ui/intake`, threadId: 'ada' });
  agent.addMessage({ id: 'm-1', role: 'user', content: 'Hello' });
  const transport = new DefaultChatTransport({ api: `${url}/chat/intake` });
  const chunks: Record<string, unknown>[] = [];
  const messages: UIMessage[] = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];
  const rest = { messageId: undefined, messages, abortSignal: undefined };
  const stream = await transport.sendMessages({
    trigger: 'submit-message',
    chatId: 'bob',
    ...rest,
  });
  await Promise.all([
    agent.runAgent({}, { onTextMessageContentEvent: () => shows('ag-ui') }).catch(() => {}),
    (async () => {
      for await (const chunk of stream) {
        chunks.push(chunk);
        if (chunk.type === 'text-delta') shows('ai-sdk');
      }
    })(),
  ]);
  expect(agent.messages.map(textOf)).toEqual(['Hello']);
  expect(chunks.map(({ type }) => type)).toContain('error');
  const replaced = { type: 'data-replaced', data: expect.objectContaining({ text: '' }) };
  expect(chunks).toContainEqual(expect.objectContaining(replaced));
});

test('wrong requests of front ends are refused with what to do', async () => {
  const { ask } = await served();
  const chat = (body: object) => ask('POST', '/chat/intake', body);
  expect(await chat({ messages: [] })).toMatchObject({
    status: 400,
    body: { errors: [{ path: '/id' }] },
  });
  expect(await chat({ id: 'a', messages: [] })).toMatchObject({
    status: 400,
    body: { code: 'front-end/no-message' },
  });
  expect(await ask('POST', '/ag-ui/intake', { threadId: '' })).toMatchObject({ status: 400 });
});

import { langchainPorts } from '@dramaturg/langchain';
import { modelServer } from '@dramaturg/langchain/testing';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { expect, onTestFinished, test } from 'vitest';
import { choose, extract, portsOver, quietly, reply } from './ports-over.ts';

/** OpenAI's real client, whose connection ends at the local server. */
async function atOpenAi(text: string, more: object = {}) {
  const server = await modelServer(() => ({ text }), { countsTokens: true });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const fetchHere = (url: string, init: RequestInit) =>
    fetch(url.replace('https://api.openai.com/v1', server.baseUrl), init);
  const ports = langchainPorts({
    model: 'openai:test-model',
    modelOptions: {
      apiKey: 'key-of-the-test-server',
      configuration: { fetch: fetchHere },
      ...more,
    },
  });
  return { ...ports, server };
}

const of = (conversation: string) => ({ transcript: { conversation, length: 1 } });
const keysIn = (requests: readonly object[]) =>
  requests.map((request) => (request as { prompt_cache_key?: string }).prompt_cache_key);

test('OpenAI gets a key for each conversation, which is not its id', async () => {
  const { server, ...ports } = await atOpenAi('{}');
  await ports.reply(reply(of('+49 170 1234567')), quietly());
  await ports.extract(extract(of('+49 170 1234567')), quietly());
  await ports.reply(reply(of('another')), quietly());
  const [first, second, third] = keysIn(server.requests);
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(second).toBe(first);
  expect(third).not.toBe(first);
  expect(JSON.stringify(server.requests)).not.toContain('1234567');
});

test("the user's own key stands", async () => {
  const { server, ...ports } = await atOpenAi('Good.', { promptCacheKey: 'mine' });
  await ports.reply(reply(), quietly());
  expect(keysIn(server.requests)).toEqual(['mine']);
});

test('a server of one’s own gets no key, and a schema that makes sure that the answer fits', async () => {
  const { server, ...ports } = await portsOver({ text: '{"option": "stay", "reason": ""}' });
  await ports.choose(choose(), quietly());
  expect(keysIn(server.requests)).toEqual([undefined]);
  expect(JSON.stringify(server.requests[0]?.response_format)).toContain('"enum":["stay","leave"]');
});

const name = { name: { type: 'string' } };
const whole = {
  type: 'object',
  properties: { ...name, age: { type: 'integer' }, city: { type: 'string' } },
  additionalProperties: false,
};

test('a provider gets the schema of all extractions, and what is wanted now at the end', async () => {
  const { server, ...ports } = await atOpenAi('{"name": "Maria", "city": "Rome"}');
  const schema = { type: 'object', properties: name, additionalProperties: false };
  const { value } = await ports.extract(extract({ schema, constantSchema: whole }), quietly());
  // The city was not on offer.
  expect(value).toEqual({ name: 'Maria' });
  const [{ response_format: form, messages } = { messages: [] }] = server.requests;
  expect(form?.json_schema?.schema).toMatchObject(whole);
  expect(messages.at(-1)?.content).toContain('# What to fill in now\n- name');
});

test('a schema that the constant one does not cover is sent as it is', async () => {
  const { server, ...ports } = await atOpenAi('{"name": "Maria"}');
  const constantSchema = { type: 'object', properties: { city: { type: 'string' } } };
  const { value } = await ports.extract(extract({ constantSchema }), quietly());
  expect(value).toEqual({ name: 'Maria' });
  expect(JSON.stringify(server.requests[0]?.response_format)).toContain('"age"');
});

const done = (ids?: string[]) => ({
  name: 'complete_task',
  description: 'Record it.',
  parameters: {
    type: 'object',
    properties: { task_id: { type: 'string', ...(ids && { enum: ids }) } },
    required: ['task_id'],
  },
});

test('a model gets the tools of all calls, and may call those on offer, as they are on offer', async () => {
  const server = await modelServer(() => ({
    text: 'Good.',
    toolCalls: ['a', 'b'].map((id) => ({ name: 'complete_task', arguments: { task_id: id } })),
  }));
  onTestFinished(() => server[Symbol.asyncDispose]());
  const { reply: replies } = langchainPorts({ model: 'openai:any', baseUrl: server.baseUrl });
  const constantTools = [done()];
  const one = await replies(reply({ tools: [done(['a'])], constantTools }), quietly());
  const none = await replies(reply({ tools: [], constantTools }), quietly());
  expect(one.toolCalls).toEqual([{ name: 'complete_task', arguments: { task_id: 'a' } }]);
  expect(none.toolCalls).toEqual([]);
  const [first, second] = server.requests;
  expect(second?.tools).toEqual(first?.tools);
  expect(first?.messages.at(-1)?.content).toContain('- complete_task, task_id: a');
  expect(second?.messages.at(-1)?.content).toContain('(Call no tool now.)');
});

test('tools that a host adds come after those of all calls, which stay as they are', async () => {
  const server = await modelServer(() => ({ text: 'Good.' }));
  onTestFinished(() => server[Symbol.asyncDispose]());
  const { reply: replies } = langchainPorts({ model: 'openai:any', baseUrl: server.baseUrl });
  const added = { name: 'request_intervention', description: 'Ask a person.', parameters: {} };
  const constantTools = [done()];
  for (const tools of [[done(['a']), added], [added], [done(['b']), added]])
    await replies(reply({ tools, constantTools }), quietly());
  const [first, ...others] = server.requests.map(({ tools }) => tools);
  expect(first?.map(({ function: tool }) => tool.name)).toEqual([done().name, added.name]);
  expect(JSON.stringify(first)).not.toContain('"enum"');
  for (const tools of others) expect(tools).toEqual(first);
});

test('the tasks of one workflow have the same marks, and those of another have others', async () => {
  const server = await modelServer(() => ({ text: '"Done."' }));
  onTestFinished(() => server[Symbol.asyncDispose]());
  const { runAgent } = langchainPorts({
    model: 'openai:any',
    baseUrl: server.baseUrl,
    playAgents: true,
  });
  for (const [key, instance] of [
    ['a/1', 'a'],
    ['a/2', 'a'],
    ['b/1', 'b'],
    ['c/1', undefined],
    ['c/2', undefined],
  ] as const)
    await runAgent({ key, agent: 'Writer', input: {} }, quietly({ instance }));
  const marks = server.requests.map(
    ({ messages }) => /<(data-[0-9a-f]{8}) /.exec(messages.at(-1)?.content ?? '')?.[1],
  );
  expect(marks[1]).toBe(marks[0]);
  expect(new Set(marks).size).toBe(4);
});

/** Hears what a model of Anthropic is asked, which LangChain then reads. */
class Anthropic extends FakeListChatModel {
  readonly heard: (readonly [type: string, content: unknown])[][] = [];

  override _llmType() {
    return 'anthropic';
  }

  override async stream(...[input, options]: Parameters<FakeListChatModel['stream']>) {
    this.heard.push(input as Anthropic['heard'][number]);
    return super.stream(input, options);
  }
}

interface Block {
  readonly text: string;
  readonly cache_control?: object;
}

/** All blocks of a request, each with the role of its message. */
const blocksIn = (messages: Anthropic['heard'][number]) =>
  messages.flatMap(([type, content]) =>
    (content as Block[]).map(({ text, cache_control: mark }) => ({
      text: `${type}: ${text}`,
      isMarked: mark !== undefined,
    })),
  );

test('Anthropic gets marks at places that the next call has before the same blocks', async () => {
  const model = new Anthropic({ responses: ['Good.'] });
  const ports = langchainPorts({ model });
  const lines = ['One', 'Two', 'Three', 'Four', 'Five'].map((text, index) => ({
    role: index % 2 === 0 ? ('contact' as const) : ('agent' as const),
    text,
  }));
  const call = (count: number) =>
    ports.reply(
      reply({ message: lines[count - 1]!.text, transcript: { conversation: 'c', length: count } }),
      quietly({ transcript: async () => lines.slice(0, count) }),
    );
  await call(3);
  await call(5);
  const [before, after] = model.heard.map(blocksIn);
  const marked = before!.flatMap(({ isMarked }, index) => (isMarked ? [index] : []));
  expect(marked).toHaveLength(2);
  const last = marked.at(-1)!;
  expect(before![last]!.text).toContain('Three');
  const texts = (blocks: typeof before) => blocks!.slice(0, last + 1).map(({ text }) => text);
  expect(texts(after)).toEqual(texts(before));
  // Anthropic looks for an earlier beginning at the last twenty blocks before a mark.
  expect(after!.findLastIndex(({ isMarked }) => isMarked) - last).toBeLessThan(20);
});

test('the local server counts what a provider would have cached', async () => {
  const { server, ...ports } = await atOpenAi('Good.');
  const lines = Array.from({ length: 20 }, (_, index) => ({
    role: index % 2 === 0 ? ('agent' as const) : ('contact' as const),
    text: `This is what is said for the time ${index}, in a sentence.`,
  }));
  const call = (count: number) =>
    ports.reply(
      reply({ message: lines[count - 1]!.text, transcript: { conversation: 'c', length: count } }),
      quietly({ transcript: async () => lines.slice(0, count) }),
    );
  const first = await call(18);
  const second = await call(20);
  expect(first.usage?.cachedInputTokens).toBeUndefined();
  const { inputTokens = 0, cachedInputTokens = 0 } = second.usage ?? {};
  expect(cachedInputTokens / inputTokens).toBeGreaterThan(0.9);
  expect(server.requests).toHaveLength(2);
});

test('what only models see has its place in the conversation, and keeps it', async () => {
  const { server, ...ports } = await atOpenAi('Good.');
  const lines = ['Hello', 'What is it?', 'My leg', 'Which one?', 'The left one'].map(
    (text, index) => ({ role: index % 2 === 0 ? ('contact' as const) : ('agent' as const), text }),
  );
  const thought = (at: number) => ({
    title: 'Your thought',
    text: `Thought ${at}`,
    data: true,
    at,
  });
  const call = (said: number, length: number, thoughts: number[]) =>
    ports.think(
      {
        key: 'c/1',
        message: lines[said - 1]!.text,
        prompt: [{ title: 'What to think about', text: 'The leg.' }, ...thoughts.map(thought)],
        transcript: { conversation: 'c', length },
      },
      quietly({ transcript: async () => lines.slice(0, said) }),
    );
  // After the second message of the person, thought 4; the reply to it is message 5.
  await call(3, 3, [4]);
  await call(5, 6, [4, 7, 8]);
  const [before, after] = server.requests.map(({ messages }) => messages.at(-1)!.content);
  const conversation = (text = '') =>
    Array.from(text.matchAll(/^(person|agent|Your thought): (.*)$/gm), ([, , said]) => said);
  expect(conversation(before)).toEqual(['Hello', 'What is it?', 'My leg', 'Thought 4']);
  expect(conversation(after)).toEqual([
    'Hello',
    'What is it?',
    'My leg',
    'Thought 4',
    'Which one?',
    'The left one',
    'Thought 7',
    'Thought 8',
  ]);
  const [start = ''] = before!.split('\n\n</data-');
  expect(after!.startsWith(start)).toBe(true);
});

test('what only models see is never lost, wherever it was said', async () => {
  const { server, ...ports } = await atOpenAi('Good.');
  const prompt = [0, 2, 2, 90].map((at, index) => ({
    title: 'Your thought',
    text: `Thought ${index}`,
    data: true,
    at: at + 1,
  }));
  const transcript = { conversation: 'c', length: 40 };
  const lines = ['Hello', 'Hi'].map((text) => ({ role: 'agent' as const, text }));
  await ports.reply(
    reply({ prompt, transcript, message: 'So?' }),
    quietly({ transcript: async () => lines }),
  );
  const text = server.requests[0]!.messages.map(({ content }) => content).join('\n');
  const found = Array.from(text.matchAll(/^(Thought \d|Hello|Hi|So\?)$/gm), ([said]) => said);
  expect(found).toEqual(['Thought 0', 'Thought 1', 'Thought 2', 'Hello', 'Hi', 'So?', 'Thought 3']);
});

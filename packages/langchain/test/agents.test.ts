import { type PortError, PortError as PortErrorClass, type PortInput } from '@dramaturg/compiler';
import { langchainPorts } from '@dramaturg/langchain';
import { until } from '@dramaturg/testing';
import { StringOutputParser } from '@langchain/core/output_parsers';
import { ChatPromptTemplate } from '@langchain/core/prompts';
import { RunnableLambda } from '@langchain/core/runnables';
import { StructuredTool, tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent } from 'langchain';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { portsOver, promptOf, quietly } from './ports-over.ts';

type AgentInput = PortInput<'runAgent'>;

const asks = (
  agent: string,
  input: AgentInput['input'] = {},
  more: Partial<AgentInput> = {},
): AgentInput => ({
  key: 'run/1',
  agent,
  input,
  ...more,
});

/** The fields that the blocks of a task add to a call. */
const blocks = {
  idempotencyKey: 'order-7',
  model: 'small',
  generation: { temperature: 0 },
  left: { tokens: 100 },
  tools: { allowed: ['web_search'], denied: [] },
  toolResults: [{ name: 'web_search', arguments: { query: 'tea' }, result: 'Assam' }],
  complaints: ['It has 90 characters, and may have 40.'],
} satisfies Partial<AgentInput>;

function clientOf(baseURL: string): ChatOpenAI {
  return new ChatOpenAI({ model: 'm', apiKey: 'k', maxRetries: 0, configuration: { baseURL } });
}

test('a function gets the input, the fields of the call and an abort signal', async () => {
  const calls: unknown[] = [];
  const agents = {
    'Price it': Object.assign(
      (input: unknown, call: unknown) => {
        calls.push(input, call);
        return { price: 40, at: undefined };
      },
      { enforces: ['Tools'] },
    ),
  };
  const { runAgent } = langchainPorts({ model: 'openai:none', agents });
  expect(await runAgent(asks('Price it', [1], blocks), quietly())).toEqual({
    result: { price: 40 },
  });
  expect(calls).toEqual([
    [1],
    { agent: 'Price it', key: 'run/1', signal: expect.any(AbortSignal), ...blocks },
  ]);
});

test('a runnable gets the fields of the call in the metadata of its config', async () => {
  const metadata: unknown[] = [];
  const agents = {
    Price: RunnableLambda.from((_, config) => {
      metadata.push(config.metadata);
      return 40;
    }),
  };
  const { runAgent } = langchainPorts({ model: 'openai:none', agents });
  await runAgent(asks('Price', {}, blocks), quietly());
  await runAgent(asks('Price'), quietly());
  expect(metadata).toEqual([
    expect.objectContaining({ agent: 'Price', key: 'run/1', ...blocks }),
    expect.objectContaining({ idempotencyKey: 'run/1' }),
  ]);
});

test('an error of a function is the failure of the task', async () => {
  const busy = Object.assign(new Error('later'), { error: 'Busy' });
  const agents = {
    Price: () => {
      throw busy;
    },
  };
  const { runAgent } = langchainPorts({ model: 'openai:none', agents });
  await expect(runAgent(asks('Price'), quietly())).rejects.toBe(busy);
});

test.each([
  ['Prise', 'There is no agent "Prise". Did you mean "Price"?'],
  ['constructor', 'There is no agent "constructor". Known agents: Price.'],
])(
  'a call of a missing agent fails with an error name that workflows can catch: %s',
  async (name, message) => {
    const { runAgent } = langchainPorts({ model: 'openai:none', agents: { Price: () => 1 } });
    await expect(runAgent(asks(name), quietly())).rejects.toMatchObject({
      message,
      cause: { error: 'States.AgentNotFound' },
    });
  },
);

test('a chain of LangChain gets the unchanged input, and the usage of its model is counted', async () => {
  const { server, runAgent } = await portsOver({ text: 'Three short words' }, {});
  const chain = ChatPromptTemplate.fromTemplate('Summarise: {text}')
    .pipe(clientOf(server.baseUrl))
    .pipe(new StringOutputParser());
  const { runAgent: run } = langchainPorts({ model: 'openai:none', agents: { Sum: chain } });
  expect(await run(asks('Sum', { text: 'A long text' }), quietly())).toEqual({
    result: 'Three short words',
    usage: { model: 'm', requests: 1, inputTokens: 10, outputTokens: 3 },
  });
  expect(promptOf(server.requests[0])).toBe('user: Summarise: A long text');
  await expect(runAgent(asks('Sum'), quietly())).rejects.toThrow('Pass it in agents.');
});

test('the result of a chat model as an agent is its text', async () => {
  const { server } = await portsOver({ text: 'Hello' });
  const agents = { Say: clientOf(server.baseUrl) };
  const { runAgent } = langchainPorts({ model: 'openai:none', agents });
  expect(await runAgent(asks('Say', 'Hi'), quietly())).toMatchObject({ result: 'Hello' });
});

test('an agent of createAgent gets a fenced input and uses its tools, and all its calls are counted', async () => {
  const { server } = await portsOver((_, count) =>
    count === 1
      ? { toolCalls: [{ name: 'look_up', arguments: { what: 'price' } }] }
      : { text: 'It costs 40.' },
  );
  const lookUp = tool(({ what }) => `${what}: 40`, {
    name: 'look_up',
    description: 'Looks up.',
    schema: z.object({ what: z.string() }),
  });
  const agents = { Clerk: createAgent({ model: clientOf(server.baseUrl), tools: [lookUp] }) };
  const { runAgent } = langchainPorts({ model: 'openai:none', agents });
  expect(await runAgent(asks('Clerk', { item: 'lamp' }), quietly())).toEqual({
    result: 'It costs 40.',
    usage: { model: 'm', requests: 2, inputTokens: 20, outputTokens: 3 },
  });
  expect(promptOf(server.requests[0])).toMatch(
    /user: Do your work on this input:\n<(data-\w+) from="the workflow">\n\{\n "item": "lamp"\n\}\n<\/\1>/,
  );
  expect(promptOf(server.requests[1])).toContain('tool: price: 40');
});

describe('a tool that the call does not permit does not run', () => {
  const ran: string[] = [];
  const toolNamed = (name: string) =>
    tool(() => void ran.push(name), { name, description: name, schema: z.object({}) });
  class Unnamed extends StructuredTool {
    name = 'delete_all';
    description = 'A class, whose runs LangChain does not name.';
    schema = z.object({});
    protected override async _call() {
      ran.push('delete_all');
      return '';
    }
  }
  const lambda = (unknown: StructuredTool) => RunnableLambda.from(() => unknown.invoke({}));

  /** Runs an agent that calls the tools one after another. */
  const runWith = async (
    tools: AgentInput['tools'],
    names: string[],
    all: StructuredTool[] = names.map(toolNamed),
  ) => {
    ran.length = 0;
    const { server } = await portsOver((_, count) =>
      count <= names.length
        ? { toolCalls: [{ name: names[count - 1]!, arguments: {} }] }
        : { text: 'Done.' },
    );
    const agents = { Clerk: createAgent({ model: clientOf(server.baseUrl), tools: all }) };
    const { runAgent } = langchainPorts({ model: 'openai:none', agents });
    const [ended] = await Promise.allSettled([
      runAgent(asks('Clerk', {}, { tools: tools! }), quietly()),
    ]);
    return { ran: [...ran], ended: ended.status, requests: server.requests.length };
  };

  test.each([
    [{ denied: ['delete_all'] }, [toolNamed('look_up'), toolNamed('delete_all')]],
    [{ denied: ['delete_*'] }, [toolNamed('look_up'), new Unnamed()]],
    [{ allowed: ['look_up'], denied: [] }, [toolNamed('look_up'), new Unnamed()]],
    [{ denied: [], within: [{ denied: ['delete_all'] }] }, [toolNamed('look_up'), new Unnamed()]],
  ])('of an agent that runs its tools itself: %j', async (tools, all) => {
    const { ran: names } = await runWith(tools, ['look_up', 'delete_all'], all);
    expect(names).toEqual(['look_up']);
  });

  test('that the provider of the model would run', async () => {
    const search = { type: 'web_search_preview' };
    const run = (tools: AgentInput['tools']) =>
      runWith(tools, ['look_up'], [toolNamed('look_up'), search as never]);
    expect(await run({ allowed: ['look_up'], denied: [] })).toMatchObject({ requests: 0 });
    expect(await run({ denied: ['web_search*'] })).toMatchObject({ ran: [], requests: 0 });
  });

  test('of a chain, also when its name is not known', async () => {
    const agents = { Chain: lambda(toolNamed('delete_all')), Class: lambda(new Unnamed()) };
    const { runAgent } = langchainPorts({ model: 'openai:none', agents });
    ran.length = 0;
    for (const name of ['Chain', 'Class'])
      await expect(
        runAgent(asks(name, {}, { tools: { denied: ['delete_all'] } }), quietly()),
      ).rejects.toThrow('may not use');
    expect(ran).toEqual([]);
  });
});

test('an agent that does not enforce what a call demands is not called', async () => {
  const called: string[] = [];
  const agent = (name: string, enforces?: string[]) =>
    Object.assign(() => void called.push(name), enforces && { enforces });
  const agents = {
    plain: agent('plain'),
    names: agent('names', ['Tools.Allowed', 'Tools.Denied']),
    all: agent('all', ['Tools']),
    chain: RunnableLambda.from(() => void called.push('chain')),
  };
  const { runAgent } = langchainPorts({ model: 'openai:none', agents });
  const refusals = async (tools: AgentInput['tools']) => {
    called.length = 0;
    const causes: unknown[] = [];
    for (const name of Object.keys(agents))
      await Promise.resolve(runAgent(asks(name, {}, { tools: tools! }), quietly())).catch(
        ({ cause }: PortError) => causes.push((cause as { error: string }).error),
      );
    return { called: [...called], causes };
  };
  expect(await refusals({ denied: ['shell'] })).toEqual({
    called: ['names', 'all', 'chain'],
    causes: ['States.Permissions'],
  });
  expect(await refusals({ denied: [], limits: ['RateLimits'] })).toEqual({
    called: ['all'],
    causes: ['States.Permissions', 'States.Permissions', 'States.Permissions'],
  });
  expect((await refusals({ allowed: ['*'], denied: [] })).causes).toEqual([]);
  await expect(
    runAgent(asks('plain', {}, { tools: { denied: ['shell'] } }), quietly()),
  ).rejects.toThrow(
    '"plain" was not called: it does not enforce "Tools.Denied". An agent that does says so in its property "enforces".',
  );
});

test.each([
  ['its input', { item: 'lamp' }, ['system', 'user']],
  [
    'the conversation in its input',
    { messages: [{ role: 'user', content: 'Hi' }] },
    ['user', 'user'],
  ],
])('an agent of createAgent hears complaints after %s', async (_, input, roles) => {
  const { server } = await portsOver({ text: 'It costs 40.' });
  const agents = { Clerk: createAgent({ model: clientOf(server.baseUrl), tools: [] }) };
  const { runAgent } = langchainPorts({ model: 'openai:none', agents });
  await runAgent(asks('Clerk', input, { complaints: ['It is too long.'] }), quietly());
  const { messages = [] } = server.requests[0] ?? {};
  expect(messages.map(({ role }) => role)).toEqual(roles);
  expect(messages.at(-1)?.content).toContain('>\nIt is too long.\n<');
});

test('the structured response of an agent is its result', async () => {
  const { server } = await portsOver({
    toolCalls: [{ name: 'extract-1', arguments: { price: 40 } }],
    text: '{"price": 40}',
  });
  const agent = createAgent({
    model: clientOf(server.baseUrl),
    tools: [],
    responseFormat: z.object({ price: z.number() }),
  });
  const { runAgent } = langchainPorts({ model: 'openai:none', agents: { Clerk: agent } });
  expect(await runAgent(asks('Clerk'), quietly())).toMatchObject({ result: { price: 40 } });
});

test('a cancelled call closes the connection of its agent', async () => {
  const { server } = await portsOver({ text: 'Late', delay: 60_000 });
  const agents = { Clerk: createAgent({ model: clientOf(server.baseUrl), tools: [] }) };
  const { runAgent } = langchainPorts({ model: 'openai:none', agents });
  const cancelling = new AbortController();
  const running = Promise.resolve(runAgent(asks('Clerk'), quietly({ signal: cancelling.signal })));
  const ended = running.catch((error: unknown) => error);
  await until(() => server.requests.length === 1, 'the request');
  cancelling.abort();
  expect(await ended).toBeInstanceOf(Error);
  await until(() => server.left() === 1, 'the closed connection');
});

test('a task whose agent a model fails to play has the error message of the model', async () => {
  const ports = await portsOver({ status: 401 }, { playAgents: true });
  const failure = await Promise.resolve(ports.runAgent(asks('Add up'), quietly())).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({
    message: expect.stringContaining('does not accept the key: check OPENAI_API_KEY'),
    cause: {
      message: (failure as PortError).message,
      error: 'States.TaskFailed',
      cause: { cause: { status: 401 } },
    },
    usage: { requests: 1 },
  });
});

test('the error of a failed agent contains its usage', async () => {
  const { server } = await portsOver({ status: 400, error: { message: 'No.' } });
  const agents = { Clerk: clientOf(server.baseUrl) };
  const { runAgent } = langchainPorts({ model: 'openai:none', agents });
  const failure: unknown = await Promise.resolve(runAgent(asks('Clerk', 'Hi'), quietly())).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(PortErrorClass);
  expect((failure as PortError).usage).toMatchObject({ requests: 1, outputTokens: 0 });
});

test.each([
  ['{"total": 40}', { total: 40 }],
  ['```json\n[1, 2]\n```', [1, 2]],
  ['It is forty.', 'It is forty.'],
])('the model plays an agent that is not implemented: %s', async (text, result) => {
  const ports = await portsOver({ text }, { playAgents: true, agents: { Price: () => 1 } });
  expect(await ports.runAgent(asks('Add up', { items: [40] }), quietly())).toMatchObject({
    result,
    usage: { model: 'test-model', requests: 1 },
  });
  expect(promptOf(ports.server.requests[0])).toContain('You are the agent "Add up" of a workflow.');
  expect(await ports.runAgent(asks('Price'), quietly())).toEqual({ result: 1 });
});

test('a played agent is offered the allowed tools, and its calls are the result', async () => {
  const ports = await portsOver(
    { toolCalls: [{ name: 'web_search', arguments: { query: 'tea' } }] },
    {
      playAgents: true,
      tools: {
        web_search: { parameters: { type: 'object', required: ['query'] }, run: () => '' },
        shell: { run: () => '' },
      },
    },
  );
  const tools = { allowed: ['web_search', 'files.read', 'shell'], denied: ['shell'] };
  expect(
    await ports.runAgent(asks('Find', {}, { tools, toolResults: [] }), quietly()),
  ).toMatchObject({ result: { toolCalls: [{ name: 'web_search', arguments: { query: 'tea' } }] } });
  const toolResults = [{ name: 'web_search', arguments: {}, result: 'from Assam' }];
  await ports.runAgent(asks('Find', {}, { tools, toolResults }), quietly());
  await ports.runAgent(
    asks('Find', {}, { tools: { denied: ['shell'] }, toolResults: [] }),
    quietly(),
  );
  await Promise.resolve(
    ports.runAgent(
      asks('Find', {}, { tools: { allowed: [], denied: [] }, toolResults: [] }),
      quietly(),
    ),
  ).catch(() => {});
  const offered = ports.server.requests.map(({ tools: wire = [] }) =>
    (wire as readonly { function: { name: string } }[]).map((each) => each.function.name),
  );
  expect(offered).toEqual([
    ['web_search', 'files_read'],
    ['web_search', 'files_read'],
    ['web_search'],
    [],
  ]);
  const [first, second] = ports.server.requests.map(promptOf);
  expect(first).not.toContain('# Tools');
  expect(second).toMatch(/<(data-\w+) from="the tools">\n[^<]*"result": "from Assam"[^<]*<\/\1>/);
});

test('a played agent may call a tool with arguments that do not fit: the workflow refuses them', async () => {
  const ports = await portsOver(
    { toolCalls: [{ name: 'files_read', arguments: { path: 7 } }] },
    { playAgents: true },
  );
  const tools = { allowed: ['files.read'], denied: [] };
  expect(
    await ports.runAgent(asks('Find', {}, { tools, toolResults: [] }), quietly()),
  ).toMatchObject({ result: { toolCalls: [{ name: 'files.read', arguments: { path: 7 } }] } });
});

test('a played agent whose result has a form is asked for it by the JSON mode of the model, or for a tool', async () => {
  const schema = {
    type: 'object',
    properties: { total: { type: 'number' } },
    required: ['total'],
  };
  const ports = await portsOver(
    (_request, count) =>
      count === 1
        ? { text: '{"total": 40}' }
        : { toolCalls: [{ name: 'web_search', arguments: { query: 'tea' } }] },
    { playAgents: true },
  );
  expect(await ports.runAgent(asks('Add up', {}, { schema }), quietly())).toMatchObject({
    result: { total: 40 },
  });
  expect(ports.server.requests[0]).toMatchObject({
    response_format: { type: 'json_schema', json_schema: { schema } },
  });
  const tools = { allowed: ['web_search'], denied: [] };
  const more = { schema, tools, toolResults: [] };
  expect(await ports.runAgent(asks('Add up', {}, more), quietly())).toMatchObject({
    result: { toolCalls: [{ name: 'web_search', arguments: { query: 'tea' } }] },
  });
});

test('the answer of a played agent is streamed when its task asks for parts', async () => {
  const ports = await portsOver({ text: 'It is forty pounds.' }, { playAgents: true });
  const parts: string[] = [];
  const hearing = quietly({ onText: (part) => parts.push(part) });
  await ports.runAgent(asks('Add up'), hearing);
  expect(parts).toEqual([]);
  await ports.runAgent(asks('Add up', {}, { stream: { mode: 'token' } }), hearing);
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.join('')).toBe('It is forty pounds.');
});

test('a model without tools writes the calls of an agent into its text', async () => {
  const ports = await portsOver(
    (request) =>
      'tools' in request
        ? { status: 400, error: { message: 'This model does not support tools.' } }
        : { text: '{"toolCalls": [{"name": "web_search", "arguments": {"query": "tea"}}]}' },
    { playAgents: true },
  );
  const tools = { allowed: ['web_search'], denied: [] };
  expect(
    await ports.runAgent(asks('Find', {}, { tools, toolResults: [] }), quietly()),
  ).toMatchObject({ result: { toolCalls: [{ name: 'web_search', arguments: { query: 'tea' } }] } });
});

test('the prompt of a played agent has complaints, the form of the reasoning and the reduced quality', async () => {
  const ports = await portsOver({ text: '1' }, { playAgents: true });
  const complaints = ['It has 90 characters, and may have 40.', 'It names a price.'];
  const reasoning = { format: 'chain_of_thought', minSteps: 2, maxSteps: 4 };
  await ports.runAgent(
    asks('Add up', {}, { complaints, reasoning, quality: 'reduced' }),
    quietly(),
  );
  await ports.runAgent(asks('Add up'), quietly());
  const [full, plain] = ports.server.requests.map(promptOf);
  expect(full).toMatch(
    /<(data-\w+) from="the workflow">\nIt has 90 [^<]*\nIt names a price\.\n<\/\1>/,
  );
  expect(full).toContain('of the kind "chain_of_thought", with at least 2 and at most 4 steps.');
  expect(full).toContain('Be brief');
  expect(plain).not.toMatch(/wrong|reasoning|brief/);
});

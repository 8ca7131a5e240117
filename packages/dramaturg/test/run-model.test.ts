import { type ChatRequest, type ModelAnswer, modelServer } from '@dramaturg/langchain/testing';
import { spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { runsAll } from '../../../.config/scaled.ts';
import { dramaturg, eventsOf, examples, folderWith } from './command.ts';

/** Options for a model behind a server on this machine. */
async function modelThat(answers: (request: ChatRequest) => ModelAnswer) {
  const server = await modelServer(answers);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { server, options: ['--model', 'openai:test-model', '--base-url', server.baseUrl] };
}

const talks = (request: ChatRequest): ModelAnswer => {
  if (request.response_format === undefined) return { text: 'What may I call you?' };
  const heard = request.messages.at(-1)?.content.includes('I am Maria');
  return { text: JSON.stringify(heard ? { deliverables: { customer_name: 'Maria' } } : {}) };
};

test('a model holds a conversation, and is told what was said before', async () => {
  const { server, options } = await modelThat(talks);
  const { code, stdout, stderr } = await dramaturg(
    ['run', 'customer-intake.plan.json', ...options, '--json'],
    { input: 'Good morning\nI am Maria\n' },
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(eventsOf(stdout)).toContainEqual(
    expect.objectContaining({ deliverable: 'customer_name', value: 'Maria' }),
  );
  const last = server.requests
    .at(-1)
    ?.messages.map(({ content }) => content)
    .join('\n');
  expect(last).toContain('Good morning');
  expect(last).toContain('What may I call you?');
});

test('with --combine-replies, one request brings the data and the next message', async () => {
  const { server, options } = await modelThat(({ response_format: form }) => {
    const reply = { case: 'customer-intake', asks: 'account_number', does: [], text: 'Welcome!' };
    const data = { deliverables: { customer_name: 'Maria' }, completed_tasks: ['welcome'] };
    return { text: form ? JSON.stringify({ data, reply }) : 'What may I call you?' };
  });
  const { code, stdout } = await dramaturg(
    ['run', 'customer-intake.plan.json', ...options, '--combine-replies', '--json'],
    { input: 'I am Maria\n' },
  );
  expect(code).toBe(0);
  const events = eventsOf(stdout);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'message.sent', text: 'Welcome!' }),
  );
  const requests = events.flatMap(({ type, port, usage }) =>
    type === 'usage.recorded' ? [[port, usage]] : [],
  );
  expect([server.requests.length, requests.length]).toEqual([2, 2]);
});

test.each([
  ['check-in.context-graph.yaml', 'completed'],
  ['../../packages/formats/npc/test/fixtures/ferry/ferry.npc.json', 'KICK_OUT'],
])('a model decides where %s goes, among what is on offer', async (file, outcome) => {
  const { options } = await modelThat(({ response_format: form }) => {
    const properties = form?.json_schema?.schema['properties'] as
      | { readonly option?: { readonly enum: readonly string[] } }
      | undefined;
    const option = properties?.option?.enum.at(-1);
    return { text: form ? JSON.stringify({ option, reason: 'They want to stop.' }) : 'Very well.' };
  });
  const { code, stdout } = await dramaturg(['run', file, ...options, '--json'], {
    input: 'I want to stop\n',
  });
  expect(code).toBe(0);
  expect(eventsOf(stdout).at(-1)).toMatchObject({ type: 'conversation.ended', outcome });
});

test('what a model says is seen while it is made', async ({ skip }) => {
  skip(!runsAll);
  const { options } = await modelThat(() => ({ text: 'One two three four five.', pace: 300 }));
  const child = spawn(
    process.execPath,
    ['../../packages/dramaturg/bin/dramaturg.js', 'run', 'customer-intake.plan.json', ...options],
    { cwd: examples, stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const seen: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => seen.push(text));
  child.stdin.end();
  await new Promise((resolve) => child.on('close', resolve));
  const withOne = seen.find((part) => part.includes('One'));
  expect(withOne).not.toContain('five');
  expect(seen.join('')).toContain('agent  One two three four five.');
});

test('a model plays the agents of a workflow that a module does not have', async () => {
  const { server, options } = await modelThat(() => ({ text: '"packed"' }));
  const folder = await folderWith({ 'agents.mjs': 'export const Price = () => 40;' });
  const { code, stdout } = await dramaturg([
    'run',
    'order.asl.json',
    '--input',
    'order.json',
    '--agents',
    `${folder}/agents.mjs`,
    ...options,
    '--json',
  ]);
  expect(code).toBe(0);
  expect(eventsOf(stdout).at(-1)).toMatchObject({
    type: 'workflow.ended',
    status: 'succeeded',
    output: ['packed', 'packed'],
  });
  expect(server.requests).toHaveLength(2);
});

test('a model that plays an agent is told what the tools of the module take', async () => {
  const { options, server } = await modelThat(({ messages }) => ({
    text: JSON.stringify(
      messages.some(({ content }) => content.includes('found tea'))
        ? 'It is green.'
        : { toolCalls: [{ name: 'search', arguments: { query: 'tea' } }] },
    ),
  }));
  const folder = await folderWith({
    'find.asl.json': JSON.stringify({
      StartAt: 'Find',
      States: { Find: { Type: 'Task', Agent: 'Finder', Tools: { Allowed: ['*'] }, End: true } },
    }),
    'agents.mjs': `export const tools = { search: {
      parameters: { type: 'object', properties: { query: { type: 'string' } } },
      run: ({ query }) => 'found ' + query,
    } };`,
  });
  const { stdout } = await dramaturg(
    ['run', 'find.asl.json', '--agents', 'agents.mjs', ...options, '--json'],
    { cwd: folder },
  );
  expect(eventsOf(stdout).at(-1)).toMatchObject({ status: 'succeeded', output: 'It is green.' });
  expect(JSON.stringify(server.requests[0]?.tools)).toMatch(/search.*properties.*query/s);
});

test('a model plays no definition that is missing', async () => {
  const { server, options } = await modelThat(talks);
  const folder = await folderWith({
    'main.asl.json': JSON.stringify({
      StartAt: 'A',
      States: { A: { Type: 'Task', Agent: 'plan:intake', End: true } },
    }),
  });
  const ran = await dramaturg(['run', 'main.asl.json', '--json', ...options], { cwd: folder });
  expect(eventsOf(ran.stdout).at(-1)).toMatchObject({ error: 'States.AgentNotFound' });
  expect(server.requests).toEqual([]);
});

test('a run with a model is recorded, and replayed without it', async () => {
  const { server, options } = await modelThat(talks);
  const folder = await folderWith({});
  const recording = `${folder}/talk.recording`;
  const run = ['run', 'customer-intake.plan.json'];
  const input = 'Good morning\nI am Maria\n';
  const first = await dramaturg([...run, ...options, '--record', recording], { input });
  const asked = server.requests.length;
  const again = await dramaturg([...run, '--replay', recording]);
  expect(first.stdout).toContain('customer_name = "Maria"');
  expect(again).toEqual(first);
  expect(server.requests).toHaveLength(asked);
});

test('a model holds durable conversations', async () => {
  const { options } = await modelThat(talks);
  const folder = await folderWith({});
  const start = ['start', `${folder}/store`, 'customer-intake.plan.json', '--contact', 'maria'];
  const started = await dramaturg([...start, '--id', 'i', ...options]);
  expect(started.stdout).toContain('maria: What may I call you?');
  await dramaturg(['send', `${folder}/store`, 'i', 'I am Maria', ...options]);
  const { stdout } = await dramaturg(['logs', `${folder}/store`, 'i', '--journal', '--json']);
  expect(stdout).toContain('"deliverable": "customer_name"');
});

test.each([
  [
    'no key',
    ['--model', 'openai:gpt-6-luna'],
    'error: There is no key for the model "openai:gpt-6-luna".\nhint: Set the environment variable OPENAI_API_KEY, or pass modelOptions: { apiKey }.\n',
  ],
  [
    'an unknown provider',
    ['--model', 'acme:large'],
    'error: The provider of the model "acme:large" is unknown.\nhint: Write provider:model, such as openai:gpt-6-luna, anthropic:claude-sonnet-5 or ollama:llama3.\n',
  ],
  [
    'a package that is not installed',
    ['--model', 'anthropic:claude-sonnet-5'],
    'error: The model "anthropic:claude-sonnet-5" needs the package @langchain/anthropic, which is not installed.\nhint: Run npm install @langchain/anthropic.\n',
  ],
  [
    'no model of a server',
    ['--base-url', 'http://localhost:11434/v1'],
    'error: --base-url needs a model.\nhint: Name a model of that server: --model openai:<name>, where "openai" is the protocol of the server.\n',
  ],
  [
    'no model that combines replies',
    ['--combine-replies'],
    'error: --combine-replies needs a model.\nhint: Name one, such as --model openai:gpt-6-luna, or leave the option out.\n',
  ],
  [
    'no address',
    ['--model', 'openai:any', '--base-url', 'localhost'],
    'error: "localhost" is not the address of a server.\nhint: Write it like this: --base-url http://localhost:11434/v1\n',
  ],
])('%s is told before anything begins', async (_, options, stderr) => {
  const env = { OPENAI_API_KEY: undefined };
  for (const file of ['customer-intake.plan.json', 'order.asl.json']) {
    expect(await dramaturg(['run', file, ...options], { env })).toEqual({
      code: 2,
      stdout: '',
      stderr,
    });
  }
  const folder = await folderWith({});
  const serve = ['serve', `${folder}/store`, '--definition', 'customer-intake.plan.json'];
  expect(await dramaturg([...serve, ...options], { env })).toEqual({ code: 2, stdout: '', stderr });
});

test('a server that does not answer fails the turn, in words', async () => {
  const { code, stdout } = await dramaturg([
    'run',
    'customer-intake.plan.json',
    '--model',
    'openai:any',
    '--base-url',
    'http://127.0.0.1:1/v1',
    '--json',
  ]);
  expect(code).toBe(0);
  expect(eventsOf(stdout).find(({ type }) => type === 'turn.failed')).toMatchObject({
    message:
      'Nothing answers for the model "openai:any" at the server at http://127.0.0.1:1/v1: check the base URL and that the server runs.',
  });
});

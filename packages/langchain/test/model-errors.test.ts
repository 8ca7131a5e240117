import { ChatOpenAI } from '@langchain/openai';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { langchainPorts, requireModel } from '@dramaturg/langchain';
import { choose, portsOver, quietly, reply } from './ports-over.ts';

/** The message of the error. */
async function complaint(work: unknown): Promise<string> {
  return Promise.resolve(work).then(
    () => 'nothing went wrong',
    (error: unknown) => (error as Error).message,
  );
}

test('a missing key says where to put it', async () => {
  vi.stubEnv('OPENAI_API_KEY', '');
  onTestFinished(() => vi.unstubAllEnvs() as never);
  const { reply: ask } = langchainPorts({ model: 'openai:gpt-6-luna' });
  expect(await complaint(ask(reply(), quietly()))).toBe(
    'There is no key for the model "openai:gpt-6-luna": set the environment variable OPENAI_API_KEY, or pass modelOptions: { apiKey }.',
  );
});

test('requireModel reports a missing key or package without a request', async () => {
  vi.stubEnv('OPENAI_API_KEY', '');
  onTestFinished(() => vi.unstubAllEnvs() as never);
  expect(await complaint(requireModel({ model: 'openai:gpt-6-luna' }))).toMatch(
    /^There is no key for/,
  );
  expect(await complaint(requireModel({ model: 'anthropic:claude' }))).toMatch(/npm install/);
  const server = { model: 'openai:any', baseUrl: 'http://127.0.0.1:1/v1' };
  expect(await complaint(requireModel(server))).toBe('nothing went wrong');
  const options = { model: 'openai:gpt-6-luna', modelOptions: { apiKey: 'k' } };
  expect(await complaint(requireModel(options))).toBe('nothing went wrong');
});

test.each(['gpt5', 'acme:large'])(
  'an unknown provider (%s) says how to name one',
  async (model) => {
    const { reply: ask } = langchainPorts({ model });
    expect(await complaint(ask(reply(), quietly()))).toBe(
      `The provider of the model "${model}" is unknown: write provider:model, such as openai:gpt-6-luna, anthropic:claude-sonnet-5 or ollama:llama3.`,
    );
  },
);

test('the error for a missing package contains the command that installs it', async () => {
  const { reply: ask } = langchainPorts({ model: 'anthropic:claude-sonnet-5' });
  expect(await complaint(ask(reply(), quietly()))).toBe(
    'The model "anthropic:claude-sonnet-5" needs the package @langchain/anthropic, which is not installed: run npm install @langchain/anthropic.',
  );
});

test('a wrong key has another error than a missing one', async () => {
  const ports = await portsOver({ text: '' }, { server: { key: 'right' } });
  expect(await complaint(ports.reply(reply(), quietly()))).toBe(
    `For the model "openai:test-model", the server at ${ports.server.baseUrl} does not accept the key: check OPENAI_API_KEY and what the key is allowed to use.`,
  );
});

test('the error says that no server answers at the base URL', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => closed.once('listening', resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const { reply: ask } = langchainPorts({ model: 'openai:test-model', baseUrl });
  expect(await complaint(ask(reply(), quietly()))).toBe(
    `Nothing answers for the model "openai:test-model" at the server at ${baseUrl}: check the base URL and that the server runs.`,
  );
});

test('the error says that the base URL belongs to something else than a model', async () => {
  const ports = await portsOver({ text: 'Good.' });
  const root = ports.server.baseUrl.replace('/v1', '');
  const { reply: ask } = langchainPorts({ model: 'openai:test-model', baseUrl: root });
  expect(await complaint(ask(reply(), quietly()))).toBe(
    `At the server at ${root} there is no model "openai:test-model": check the model's name and the base URL, which ends in /v1 for most servers.`,
  );
  const page = await portsOver({ body: '<html>Welcome</html>' });
  const sentence = `For the model "openai:test-model", the server at ${page.server.baseUrl} answered with something else than a chat completion: check the base URL, which ends in /v1 for most servers.`;
  expect(await complaint(page.reply(reply(), quietly()))).toBe(sentence);
  expect(await complaint(page.choose(choose(), quietly()))).toBe(sentence);
  const { reply: speak } = langchainPorts({ model: 'openai:test-model', baseUrl: 'localhost:80' });
  expect(await complaint(speak(reply(), quietly()))).toBe(
    'Nothing answers for the model "openai:test-model" at the server at localhost:80: check the base URL and that the server runs.',
  );
});

test('the error says that the server does not have the model', async () => {
  const ports = await portsOver({ text: 'Good.' }, { server: { models: ['another'] } });
  expect(await complaint(ports.reply(reply(), quietly()))).toContain(
    'there is no model "openai:test-model": check the model\'s name',
  );
});

test.each([
  {
    message: "This model's maximum context length is 8192 tokens.",
    code: 'context_length_exceeded',
    type: 'invalid_request_error',
  },
  {
    message: 'the request exceeds the available context size (4096 tokens)',
    type: 'exceed_context_size_error',
  },
])('the error says that the conversation is too long: $type', async (error) => {
  const ports = await portsOver({ status: 400, error });
  const sentence =
    'The conversation is too long for the model "openai:test-model": give it fewer lines with historyLines, or choose a model with a larger context.';
  expect(await complaint(ports.reply(reply(), quietly()))).toBe(sentence);
  expect(await complaint(ports.choose(choose(), quietly()))).toBe(sentence);
  expect(ports.server.requests).toHaveLength(2);
});

test.each([
  ['in words', { refusal: 'I cannot help with that.' }, 'I cannot help with that'],
  [
    'by its provider',
    { text: '', finish: 'content_filter' as const },
    'the answer was withheld by a content filter',
  ],
])('a model that refuses %s is not asked again', async (_, answer, because) => {
  const ports = await portsOver(answer);
  const sentence = `The model "openai:test-model" refused to answer (${because}): change the definition's instructions or choose another model.`;
  expect(await complaint(ports.reply(reply(), quietly()))).toBe(sentence);
  expect(await complaint(ports.choose(choose({ fallback: 'stay' }), quietly()))).toBe(sentence);
  expect(ports.server.requests).toHaveLength(2);
});

test('the error says that a request was refused for its content', async () => {
  const error = { message: 'Your request was rejected.', code: 'content_policy_violation' };
  const ports = await portsOver({ status: 400, error });
  expect(await complaint(ports.reply(reply(), quietly()))).toBe(
    'The provider of the model "openai:test-model" refused the request for its content: change the definition\'s instructions or choose another model.',
  );
});

test('a request of an account without credit is not retried', async () => {
  const error = { message: 'You exceeded your current quota.', code: 'insufficient_quota' };
  const ports = await portsOver({ status: 429, error });
  expect(await complaint(ports.reply(reply(), quietly()))).toBe(
    'The account for the model "openai:test-model" has no credit left: top it up, or use another key.',
  );
  expect(ports.server.requests).toHaveLength(1);
});

test('the error says that the model took too long', async () => {
  const ports = await portsOver({ text: 'Good.', delay: 5_000 }, { modelOptions: { timeout: 50 } });
  expect(await complaint(ports.reply(reply(), quietly()))).toBe(
    'The model "openai:test-model" took too long to answer: try again, or give it more time with modelOptions: { timeout }.',
  );
});

test('the cause is the original error', async () => {
  const ports = await portsOver({ status: 400, error: { message: 'Bad temperature.' } });
  await expect(ports.reply(reply(), quietly())).rejects.toMatchObject({
    message: expect.stringContaining('refused the request with status 400 (400 Bad temperature)'),
    cause: { status: 400 },
  });
});

test('a model object of LangChain works like a name', async () => {
  const { server } = await portsOver({ text: 'Good.' });
  const model = new ChatOpenAI({
    model: 'test-model',
    apiKey: 'k',
    configuration: { baseURL: server.baseUrl },
  });
  const { reply: ask, choose: pick } = langchainPorts({ model });
  expect(await ask(reply(), quietly())).toMatchObject({
    text: 'Good.',
    usage: { model: 'test-model', requests: 1 },
  });
  await expect(pick(choose(), quietly())).rejects.toMatchObject({ code: 'port/bad-output' });
  expect(await pick(choose({ fallback: 'stay' }), quietly())).toMatchObject({ option: 'stay' });
});

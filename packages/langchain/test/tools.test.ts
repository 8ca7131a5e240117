import type { PortInput } from '@dramaturg/compiler';
import { langchainPorts, type LangchainOptions } from '@dramaturg/langchain';
import { tool } from '@langchain/core/tools';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { quietly } from './ports-over.ts';

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
  required: ['city'],
};

/** These tests need no model. */
const portWith = (options: Partial<LangchainOptions>) =>
  langchainPorts({ model: 'openai:none', ...options }).callTool;

const call = (more: Partial<PortInput<'callTool'>> = {}): PortInput<'callTool'> => ({
  key: 'c/1',
  tool: 'weather',
  arguments: { city: 'Lima' },
  ...more,
});

test('a function gets the arguments, the name, the key and an abort signal', async () => {
  const run = vi.fn<(input: object, use: object) => object>(() => ({ sky: 'grey' }));
  const callTool = portWith({ tools: { weather: { parameters, run } } });
  expect(await callTool(call(), quietly())).toEqual({ result: { sky: 'grey' } });
  expect(run.mock.calls).toEqual([
    [{ city: 'Lima' }, { tool: 'weather', key: 'c/1', signal: expect.any(AbortSignal) }],
  ]);
});

test('a tool of LangChain gets the arguments', async () => {
  const weather = tool(async ({ city }) => `grey in ${city}`, {
    name: 'weather',
    description: 'The weather.',
    schema: z.object({ city: z.string() }),
  });
  const callTool = portWith({ tools: [weather] });
  expect(await callTool(call(), quietly())).toEqual({ result: 'grey in Lima' });
  await expect(callTool(call({ arguments: { city: 7 } }), quietly())).rejects.toThrow(
    'The arguments of the tool "weather" do not fit its schema. city: ',
  );
});

test.each([
  ['have a wrong type', { city: 'Lima', days: 'two' }],
  ['are missing', {}],
  ['are out of range', { city: 'Lima', days: 0 }],
])('a tool is not called with arguments that %s', async (_, input) => {
  const run = vi.fn<() => string>(() => 'grey');
  const callTool = portWith({ tools: { weather: { parameters, run } } });
  await expect(callTool(call({ arguments: input }), quietly())).rejects.toMatchObject({
    code: 'port/failed',
    message: expect.stringMatching(/^The arguments of the tool "weather" do not fit its schema\./),
  });
  expect(run).not.toHaveBeenCalled();
});

test('a tool does not receive arguments that its schema does not name', async () => {
  const run = vi.fn<(input: object) => string>(() => 'grey');
  const callTool = portWith({ tools: { weather: { parameters, run } } });
  const input = JSON.parse('{"city": "Lima", "admin": true, "__proto__": {"x": 1}}') as never;
  await callTool(call({ arguments: input }), quietly());
  expect(run.mock.calls[0]?.[0]).toEqual({ city: 'Lima' });
});

test.each([
  ['wether', 'There is no tool "wether". Did you mean "weather"?'],
  ['toString', 'There is no tool "toString". Known tools: weather.'],
])('a missing tool is not found in prototypes: %s', async (name, message) => {
  const callTool = portWith({ tools: { weather: { run: () => 'grey' } } });
  await expect(callTool(call({ tool: name }), quietly())).rejects.toThrow(message);
});

test.each([
  ['denied', { deny: ['weather'] }],
  ['allowed and denied', { allow: ['weather'], deny: ['weather'] }],
  ['not in the list of allowed tools', { allow: ['news'] }],
])('a tool that is %s is not called', async (_, toolLimits) => {
  const run = vi.fn<() => string>(() => 'grey');
  const callTool = portWith({ tools: { weather: { run } }, toolLimits });
  await expect(callTool(call(), quietly())).rejects.toThrow(
    'The tool "weather" is not allowed. To allow it, change toolLimits.',
  );
  expect(run).not.toHaveBeenCalled();
});

test('the call of a slow tool fails, and its signal is aborted', async () => {
  let signal: AbortSignal | undefined;
  const run = (_: object, use: { readonly signal: AbortSignal }) => {
    signal = use.signal;
    return new Promise(() => {});
  };
  const callTool = portWith({ tools: { weather: { run } }, toolLimits: { time: 20 } });
  await expect(callTool(call(), quietly())).rejects.toThrow(
    'The tool "weather" did not answer within 20 milliseconds. Make it faster, or raise toolLimits.time.',
  );
  expect(signal?.aborted).toBe(true);
});

test('a cancelled call fails, even if its tool continues', async () => {
  const run = () => new Promise(() => {});
  const callTool = portWith({ tools: { weather: { run } } });
  const cancelling = new AbortController();
  const called = callTool(call(), quietly({ signal: cancelling.signal }));
  cancelling.abort(new Error('paused'));
  await expect(called).rejects.toThrow('The tool "weather" failed: paused');
});

test('the error for a result that is too long contains its length', async () => {
  const callTool = portWith({
    tools: { weather: { run: () => 'grey '.repeat(10) } },
    toolLimits: { resultSize: 40 },
  });
  await expect(callTool(call(), quietly())).rejects.toThrow(
    'The result of the tool "weather" has 52 characters; the limit is 40. Return less, or raise toolLimits.resultSize.',
  );
});

test('an error of a tool is the failure of the call', async () => {
  const run = () => {
    throw new Error('no satellites');
  };
  await expect(portWith({ tools: { weather: { run } } })(call(), quietly())).rejects.toMatchObject({
    message: 'The tool "weather" failed: no satellites',
    cause: { message: 'no satellites' },
  });
});

test('a result is converted to JSON', async () => {
  const results = { weather: () => new Date(0), nothing: () => undefined, deep: () => 1n };
  const tools = Object.fromEntries(
    Object.entries(results).map(([name, run]) => [name, { run }] as const),
  );
  const callTool = portWith({ tools });
  expect(await callTool(call(), quietly())).toEqual({ result: '1970-01-01T00:00:00.000Z' });
  expect(await callTool(call({ tool: 'nothing' }), quietly())).toEqual({ result: null });
  await expect(callTool(call({ tool: 'deep' }), quietly())).rejects.toMatchObject({
    code: 'port/bad-output',
  });
});

import type { PortInput } from '@dramaturg/compiler';
import { langchainPorts, type LangchainOptions } from '@dramaturg/langchain';
import { tool } from '@langchain/core/tools';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { quietly } from './asked.ts';

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
  required: ['city'],
};

/** Nothing here asks a model, so none is there. */
const portWith = (options: Partial<LangchainOptions>) =>
  langchainPorts({ model: 'openai:none', ...options }).callTool;

const call = (more: Partial<PortInput<'callTool'>> = {}): PortInput<'callTool'> => ({
  key: 'c/1',
  tool: 'weather',
  arguments: { city: 'Lima' },
  ...more,
});

test('a function is called with the arguments, and told the name, the key and when to stop', async () => {
  const run = vi.fn<(given: object, use: object) => object>(() => ({ sky: 'grey' }));
  const callTool = portWith({ tools: { weather: { parameters, run } } });
  expect(await callTool(call(), quietly())).toEqual({ result: { sky: 'grey' } });
  expect(run.mock.calls).toEqual([
    [{ city: 'Lima' }, { tool: 'weather', key: 'c/1', signal: expect.any(AbortSignal) }],
  ]);
});

test('a tool of LangChain is called as such', async () => {
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
  ['are of a wrong type', { city: 'Lima', days: 'two' }],
  ['are not there', {}],
  ['are out of range', { city: 'Lima', days: 0 }],
])('a tool is not called with arguments that %s', async (_, given) => {
  const run = vi.fn<() => string>(() => 'grey');
  const callTool = portWith({ tools: { weather: { parameters, run } } });
  await expect(callTool(call({ arguments: given }), quietly())).rejects.toMatchObject({
    code: 'port/failed',
    message: expect.stringMatching(/^The arguments of the tool "weather" do not fit its schema\./),
  });
  expect(run).not.toHaveBeenCalled();
});

test('arguments that the schema does not name do not reach a tool', async () => {
  const run = vi.fn<(given: object) => string>(() => 'grey');
  const callTool = portWith({ tools: { weather: { parameters, run } } });
  const given = JSON.parse('{"city": "Lima", "admin": true, "__proto__": {"x": 1}}') as never;
  await callTool(call({ arguments: given }), quietly());
  expect(run.mock.calls[0]?.[0]).toEqual({ city: 'Lima' });
});

test.each([
  ['wether', 'There is no tool "wether". Did you mean "weather"?'],
  ['toString', 'There is no tool "toString". There are: weather.'],
])('a tool that is not there is not found in prototypes either: %s', async (name, message) => {
  const callTool = portWith({ tools: { weather: { run: () => 'grey' } } });
  await expect(callTool(call({ tool: name }), quietly())).rejects.toThrow(message);
});

test.each([
  ['on the list of those that may not', { deny: ['weather'] }],
  ['on that list and on the other', { allow: ['weather'], deny: ['weather'] }],
  ['not on the list of those that may', { allow: ['news'] }],
])('a tool that is %s is not called', async (_, toolLimits) => {
  const run = vi.fn<() => string>(() => 'grey');
  const callTool = portWith({ tools: { weather: { run } }, toolLimits });
  await expect(callTool(call(), quietly())).rejects.toThrow(
    'The tool "weather" may not be called: change toolLimits if it should be.',
  );
  expect(run).not.toHaveBeenCalled();
});

test('a tool that takes too long is told to stop, and nobody waits for it', async () => {
  let signal: AbortSignal | undefined;
  const run = (_: object, use: { readonly signal: AbortSignal }) => {
    signal = use.signal;
    return new Promise(() => {});
  };
  const callTool = portWith({ tools: { weather: { run } }, toolLimits: { time: 20 } });
  await expect(callTool(call(), quietly())).rejects.toThrow(
    'The tool "weather" did not answer within 20 milliseconds: make it faster, or raise toolLimits.time.',
  );
  expect(signal?.aborted).toBe(true);
});

test('a tool is stopped with the call', async () => {
  const run = () => new Promise(() => {});
  const callTool = portWith({ tools: { weather: { run } } });
  const cancelling = new AbortController();
  const called = callTool(call(), quietly({ signal: cancelling.signal }));
  cancelling.abort(new Error('paused'));
  await expect(called).rejects.toThrow('The tool "weather" failed: paused');
});

test('a result that is too long fails, and says how long it is', async () => {
  const callTool = portWith({
    tools: { weather: { run: () => 'grey '.repeat(10) } },
    toolLimits: { resultSize: 40 },
  });
  await expect(callTool(call(), quietly())).rejects.toThrow(
    'The result of the tool "weather" has 52 characters and may have 40: let it return less, or raise toolLimits.resultSize.',
  );
});

test('what a tool throws is its failure', async () => {
  const run = () => {
    throw new Error('no satellites');
  };
  await expect(portWith({ tools: { weather: { run } } })(call(), quietly())).rejects.toMatchObject({
    message: 'The tool "weather" failed: no satellites',
    cause: { message: 'no satellites' },
  });
});

test('a result is the JSON that it stands for', async () => {
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

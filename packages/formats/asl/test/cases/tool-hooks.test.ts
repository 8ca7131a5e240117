import type { Json, JsonObject } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { type Agent, only, type RunOptions, run, task } from '../run.ts';

/** Section B.11: agents that are called around each call of a tool. */

const asks: Agent = (_, { toolResults = [] }) =>
  toolResults.length > 0
    ? (toolResults as Json)
    : { toolCalls: [{ name: 'fetch', arguments: { url: 'x' } }] };

async function hooked(
  hooks: JsonObject,
  agents: RunOptions['agents'],
  callTool: NonNullable<RunOptions['ports']>['callTool'] = () => ({ result: 'page' }),
) {
  const tools: string[] = [];
  const ran = await run(only(task({ Tools: { Hooks: hooks } })), {
    agents: { A: asks, ...agents },
    ports: { callTool: (input, call) => (tools.push(input.tool), callTool(input, call)) },
  });
  return { ...ran, tools, result: (ran.output as { output?: Json }).output };
}

const down: Agent = () => {
  throw new Error('down');
};

const named = (Agent: string, Parameters?: JsonObject) => ({
  Agent,
  ...(Parameters && { Parameters }),
});

test('hooks get the request and the response, as their templates say', async () => {
  const seen: Json[] = [];
  const sees: Agent = (input: Json) => (seen.push(input), null);
  const { result, tools } = await hooked(
    { Before: named('B', { 'request.$': '$.toolRequest' }), After: named('B') },
    { B: sees },
  );
  const toolRequest = { tool: 'fetch', arguments: { url: 'x' } };
  expect(seen).toEqual([
    { request: toolRequest },
    { toolRequest, toolResponse: { result: 'page' } },
  ]);
  expect(tools).toEqual(['fetch']);
  expect(result).toMatchObject([{ result: 'page' }]);
});

test.for([
  [() => false, 'The judge has not approved it.'],
  [() => ({ valid: false, reason: 'Not this host.' }), 'Not this host.'],
  [down, 'The hook before the tool has failed: down'],
] as const)(
  'a hook before the call may refuse it, and a failed one does: %#',
  async ([B, because]) => {
    const { result, tools, events } = await hooked({ Before: named('B') }, { B });
    expect(tools).toEqual([]);
    expect(result).toMatchObject([{ name: 'fetch', error: because }]);
    expect(events).toContainEqual({ type: 'tool.refused', state: 'S', tool: 'fetch', because });
  },
);

test.for([
  [() => ({ ok: false, reason: 'It has secrets.' }), 'It has secrets.'],
  [down, 'The hook after the tool has failed: down'],
] as const)('a hook after the call may withhold the result: %#', async ([B, because]) => {
  const { result, tools } = await hooked({ After: named('B') }, { B });
  expect(tools).toEqual(['fetch']);
  expect(result).toEqual([{ name: 'fetch', arguments: { url: 'x' }, error: because }]);
});

test('a hook for errors sees the error of the tool', async () => {
  const seen: Json[] = [];
  const { result } = await hooked(
    { OnError: named('B', { 'error.$': '$.toolResponse.error' }) },
    { B: (input: Json) => (seen.push(input), null) },
    () => Promise.reject(new Error('no network')),
  );
  expect(seen).toEqual([{ error: expect.stringContaining('no network') as string }]);
  expect(result).toMatchObject([{ error: expect.stringContaining('no network') as string }]);
});

test('a template of a hook that cannot be filled fails the state', async () => {
  const { output, tools } = await hooked({ Before: named('B', { 'x.$': '$.missing' }) }, {});
  expect(output).toMatchObject({ error: 'States.ParameterPathFailure' });
  expect(tools).toEqual([]);
});

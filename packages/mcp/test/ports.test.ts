import type { PortInput } from '@dramaturg/compiler';
import { mcpTools } from '@dramaturg/mcp';
import { expect, test } from 'vitest';
import { callOf, codeOf, stdioServer } from './use.ts';

const servers = { crm: stdioServer() };
const call = callOf();

test('only allowed tools are called, and names are suggested', async () => {
  await using mcp = mcpTools({ servers, allow: { crm: ['echo', 'ecko'] } });
  const { callTool } = mcp.ports({});
  const asking = async (tool: string) => callTool({ key: 'k', tool, arguments: {} }, call);
  expect((await asking('mcp:crm/echo')).result).toBe('{}');
  await expect(asking('mcp:crm/die')).rejects.toThrow(
    'The tool "die" of the MCP server "crm" is not allowed. To allow it, add it to allow.crm.',
  );
  await expect(asking('mcp:crn/echo')).rejects.toThrow(
    'There is no MCP server "crn". Did you mean "crm"?',
  );
  await expect(asking('mcp:crm/ecko')).rejects.toThrow(/Did you mean "echo"\?/);
  expect(Object.keys(await mcp.list())).toEqual(['mcp:crm/echo']);
});

test('a call is permitted by its instance', async () => {
  const seen: unknown[] = [];
  await using mcp = mcpTools({
    servers,
    allow: { crm: '*' },
    permit: (each) => {
      seen.push(each);
      return each.instance === 'order-1';
    },
  });
  const { callTool } = mcp.ports({});
  const asking = async (instance: string) =>
    callTool({ key: 'k', tool: 'mcp:crm/echo', arguments: { a: 1 } }, { ...call, instance });
  expect((await asking('order-1')).result).toBe('{"a":1}');
  expect(await codeOf(asking('order-2'))).toBe('mcp/not-allowed');
  expect(seen).toContainEqual({
    server: 'crm',
    tool: 'echo',
    arguments: { a: 1 },
    key: 'k',
    instance: 'order-2',
  });
});

test('an agent is a tool, and other agents and tools go to other ports', async () => {
  await using mcp = mcpTools({ servers, allow: { crm: '*' } });
  const { runAgent, callTool } = mcp.ports({
    runAgent: async ({ agent }) => ({ result: agent }),
    callTool: async ({ tool }) => ({ result: tool }),
  });
  const agent = async (name: string, input: string | { readonly a: number }) =>
    (await runAgent({ key: 'k', agent: name, input }, call)).result;
  expect(await agent('mcp:crm/echo', { a: 1 })).toBe('{"a":1}');
  expect(await agent('mcp:crm/echo', 'text')).toBe('{"input":"text"}');
  expect(await agent('Summarise', 'text')).toBe('Summarise');
  expect((await callTool({ key: 'k', tool: 'own', arguments: {} }, call)).result).toBe('own');
});

test('recall searches the allowed resources', async () => {
  await using mcp = mcpTools({ servers, allow: {}, resources: { crm: ['docs:'] } });
  const { recall } = mcp.ports({ recall: async () => ({ memories: [{ text: 'own' }] }) });
  const search = { key: 'k', transcript: { conversation: 'c', length: 0 }, limit: 3 };
  expect(await recall({ ...search, queries: ['goods returned'] }, call)).toEqual({
    memories: [{ text: 'own' }, { text: 'Goods may be returned within 30 days.', score: 1 }],
  });
});

test('a search of resources that are not answered ends at the time limit, or with its call', async () => {
  await using mcp = mcpTools({
    servers: { crm: stdioServer('hostile-stdio.ts', 'silent') },
    allow: {},
    resources: { crm: '*' },
    limits: { timeMs: 1_000 },
  });
  const { recall } = mcp.ports({ recall: async () => ({ memories: [] }) });
  const search = { key: 'k', transcript: { conversation: 'c', length: 0 }, limit: 3 };
  expect(await codeOf(recall({ ...search, queries: ['goods'] }, call))).toBe('mcp/timed-out');
  const controller = new AbortController();
  const cancelled = codeOf(recall({ ...search, queries: ['goods'] }, callOf(controller.signal)));
  controller.abort(new Error('The run was cancelled.'));
  expect(await cancelled).toBe('Error: The run was cancelled.');
});

test('options that make no sense are reported together', () => {
  expect(() =>
    mcpTools({
      servers: { crm: { url: 'ftp://x' }, 'a/b': { command: 'x' } },
      allow: { cmr: '*' },
      limits: { timeMs: 0 },
    }),
  ).toThrow(
    'The url of the server "crm" is not an HTTP address. "a/b" cannot name a server. Use up to 64 letters, digits, ".", "_" and "-". There is no server "cmr". Did you mean "crm"? limits.timeMs must be a positive number.',
  );
});

test('a server gets the trace of a call, if it has one', async () => {
  await using mcp = mcpTools({ servers, allow: { crm: '*' } });
  const { callTool, runAgent } = mcp.ports({});
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const traced = { ...call, traceparent: async () => traceparent };
  const asked = { key: 'k', tool: 'mcp:crm/trace', arguments: {} };
  expect((await callTool(asked, traced)).result).toBe(traceparent);
  expect((await callTool(asked, call)).result).toBe('undefined');
  const work = { key: 'k', agent: 'mcp:crm/trace', input: null } as PortInput<'runAgent'>;
  expect((await runAgent(work, traced)).result).toBe(traceparent);
});

import { type McpCall, mcpTools } from '@dramaturg/mcp';
import { compile, createHost, type Host, memoryStore, understudyPorts } from 'dramaturg';
import { expect, test } from 'vitest';

const fixture = new URL('../../../mcp/test/servers/stdio.ts', import.meta.url).pathname;
const crm = { command: process.execPath, args: ['--no-warnings', fixture] };

/** A workflow of two states whose agents may use some tools. */
const withTools = (read: object, write: object) =>
  compile(
    JSON.stringify({
      StartAt: 'Read',
      States: {
        Read: { Type: 'Task', Agent: 'clerk', Tools: read, ResultPath: '$.read', Next: 'Write' },
        Write: { Type: 'Task', Agent: 'clerk', Tools: write, ResultPath: '$.write', End: true },
      },
    }),
    { fileName: 'work.asl.json' },
  );

/** Runs a workflow whose agents ask for the tools `echo` and `data` in every state, as an obedient or a hijacked model would. */
async function outcomeOf(
  compiled: ReturnType<typeof compile>,
  permit: (call: McpCall, host: Host) => boolean | Promise<boolean> = () => true,
) {
  const made: string[] = [];
  await using mcp = mcpTools({
    servers: { crm },
    allow: { crm: ['echo', 'data'] },
    permit: async (call) => {
      const isPermitted = await permit(call, host);
      if (isPermitted) made.push(call.tool);
      return isPermitted;
    },
  });
  const toolCalls = ['mcp:crm/echo', 'mcp:crm/data'].map((name) => ({ name, arguments: {} }));
  const host = await createHost({
    store: memoryStore(),
    definitions: { work: compiled },
    ports: mcp.ports({
      ...understudyPorts(),
      runAgent: async ({ toolResults = [] }) => ({
        result: toolResults.length === 0 ? { toolCalls } : toolResults,
      }),
    }),
  });
  const { id } = await host.start('work', { input: { input: {} } });
  await expect.poll(async () => (await host.get(id)).ended).toBe(true);
  const { output } = await host.get(id);
  await host.stop();
  return { made, output };
}

test('a state can only call the tools that its definition gives it', async () => {
  const compiled = withTools(
    { Allowed: ['mcp:crm/echo'] },
    { Allowed: ['mcp:crm/*'], Denied: ['mcp:crm/echo'] },
  );
  expect(compiled.diagnostics).toEqual([]);
  const { made, output } = await outcomeOf(compiled);
  expect(made).toEqual(['echo', 'data']);
  expect(output).toMatchObject({
    read: [
      { name: 'mcp:crm/echo', result: '{}' },
      { name: 'mcp:crm/data', error: expect.stringContaining('not') },
    ],
    write: [
      { name: 'mcp:crm/echo', error: expect.stringContaining('not') },
      { name: 'mcp:crm/data', result: { found: {} } },
    ],
  });
});

test('a state without tools calls none', async () => {
  const { made } = await outcomeOf(withTools({ Allowed: [] }, { Allowed: [] }));
  expect(made).toEqual([]);
});

test('permit limits a tool to states of an instance where the definition allows all tools', async () => {
  const { made, output } = await outcomeOf(
    withTools({ Allowed: ['*'] }, { Allowed: ['*'] }),
    async ({ tool, instance }, host) => {
      const { flow } = await host.get(instance!);
      return tool === 'echo' || Object.hasOwn(flow as object, 'Write');
    },
  );
  expect({ made, output }).toMatchObject({
    made: ['echo', 'echo', 'data'],
    output: {
      read: [{ result: '{}' }, { error: expect.stringContaining('was not permitted') }],
      write: [{ result: '{}' }, { result: { found: {} } }],
    },
  });
});

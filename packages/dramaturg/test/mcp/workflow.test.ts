import { mcpTools } from '@dramaturg/mcp';
import { compile, createHost, memoryStore, understudyPorts } from 'dramaturg';
import { expect, test } from 'vitest';

const fixture = new URL('../../../mcp/test/servers/stdio.ts', import.meta.url).pathname;
const crm = { command: process.execPath, args: ['--no-warnings', fixture] };

const definition = {
  StartAt: 'Find',
  States: {
    Find: {
      Type: 'Task',
      Agent: 'mcp:crm/data',
      Next: 'Break',
    },
    Break: {
      Type: 'Task',
      Agent: 'mcp:crm/fail',
      Catch: [{ ErrorEquals: ['Mcp.ToolFailed'], ResultPath: '$.failure', Next: 'Refused' }],
      End: true,
    },
    Refused: {
      Type: 'Task',
      Agent: 'mcp:crm/die',
      Catch: [{ ErrorEquals: ['Mcp.NotAllowed'], ResultPath: '$.refusal', Next: 'Done' }],
      End: true,
    },
    Done: { Type: 'Succeed' },
  },
};

test('a workflow calls tools as agents and catches their failures by name', async () => {
  const compiled = compile(JSON.stringify(definition), { fileName: 'find.asl.json' });
  expect(compiled.diagnostics).toEqual([]);
  await using mcp = mcpTools({ servers: { crm }, allow: { crm: ['data', 'fail'] } });
  const host = await createHost({
    store: memoryStore(),
    definitions: { find: compiled },
    ports: mcp.ports(understudyPorts()),
  });
  const { id } = await host.start('find', { input: { input: { email: 'a@b.c' } } });
  await expect.poll(async () => (await host.get(id)).ended).toBe(true);
  expect((await host.get(id)).output).toMatchObject({
    found: { email: 'a@b.c' },
    failure: {
      Error: 'Mcp.ToolFailed',
      Cause: 'The tool "crm/fail" failed: The customer is unknown.',
    },
    refusal: { Error: 'Mcp.NotAllowed' },
  });
  await host.stop();
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as streams from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { beforeAll, expect, test } from 'vitest';
import { dramaturg, folderWith, smallPlan } from '../command.ts';

const bin = fileURLToPath(new URL('../../bin/dramaturg.js', import.meta.url));

const order = JSON.stringify({
  StartAt: 'Approve',
  States: {
    Approve: {
      Type: 'Approval',
      Prompt: 'Ship it?',
      Options: ['yes', 'no'],
      ResultPath: '$.approval',
      Next: 'Done',
    },
    Done: { Type: 'Succeed' },
  },
});

type Call = (name: string, input?: object) => Promise<Record<string, unknown>>;

let client: Client;
let call: Call;

/** One process serves a folder of definitions to all tests, in which each has a definition of its own. */
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-'));
  const files = {
    'small.plan.json': smallPlan(),
    'order.asl.json': order,
    'broken.plan.json': '{',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  client = new Client(
    { name: 'test', version: '1' },
    { capabilities: { elicitation: { form: {} } } },
  );
  const args = [bin, 'mcp', folder];
  const transport = new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' });
  // A busy machine takes longer to start a process.
  await client.connect(transport, { timeout: 300_000 });
  call = async (name, input = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: { ...input } });
    const [block] = content as { text: string }[];
    if (isError === true) throw new Error(block!.text);
    return JSON.parse(block!.text) as Record<string, unknown>;
  };
  return async () => {
    await client.close();
    await rm(folder, { recursive: true });
  };
});

test('a conversation is started, answered and read', async () => {
  const first = await call('start_small', { contact: 'ada', message: 'Hello', key: 'm1' });
  expect(first).toMatchObject({
    replies: ['What is your name?'],
    definition: 'small',
    ended: false,
    isWorking: false,
  });
  const again = await call('start_small', { contact: 'ada', message: 'Hello', key: 'm1' });
  expect(again).toMatchObject({ instance: first['instance'], replies: first['replies'] });
  const second = await call('talk', { contact: 'ada', message: 'Ada Lovelace' });
  expect(second).toMatchObject({ ended: true, collected: { name: 'Ada Lovelace' } });
  const { resources } = await client.listResources();
  expect(resources.map(({ mimeType }) => mimeType)).toEqual([
    'application/jsonl',
    'text/vnd.mermaid',
  ]);
  const texts = await Promise.all(
    resources.map(async ({ uri }) => (await client.readResource({ uri })).contents[0]),
  );
  expect(texts[0]).toMatchObject({ text: expect.stringContaining('Ada Lovelace') });
  expect(texts[1]).toMatchObject({ text: expect.stringContaining('stateDiagram-v2') });
  for (const uri of ['dramaturg://instances/none/chart', 'file:///etc/passwd', 'x'])
    await expect(client.readResource({ uri })).rejects.toThrow(/no/);
});

test('a decision is made by its tool, or by the person at the client', async () => {
  const asked: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message);
    return { action: 'accept', content: { choice: 'yes' } };
  });
  for (const choice of [undefined, 'no']) {
    const { instance, decisions } = await call('start_order', { input: { total: 1 } });
    const [open] = decisions as { decision: string }[];
    expect(open).toMatchObject({ prompt: 'Ship it?', options: ['yes', 'no'] });
    await call('decide', { decision: open!.decision, choice });
    expect(await call('result', { instance })).toMatchObject({
      ended: true,
      output: { total: 1, approval: { decision: choice ?? 'yes' } },
    });
  }
  expect(asked).toEqual(['Ship it?']);
});

test('an assistant checks, explains, compiles, tests and runs definitions', async () => {
  const broken = smallPlan({ states: [] });
  expect(await call('check', { text: broken, fileName: 'small.plan.json' })).toMatchObject({
    ok: false,
    format: 'plan',
  });
  await expect(call('compile', { text: broken })).rejects.toThrow('The definition has errors.');
  const text = smallPlan();
  expect(await call('explain', { text })).toMatchObject({
    kind: 'conversation',
    drawing: expect.stringContaining('Hello'),
  });
  expect(await call('compile', { text })).toMatchObject({ chart: { id: 'small' } });
  expect(await call('run', { text, messages: ['Hi', 'Ada'] })).toMatchObject({
    ended: true,
    collected: { name: 'Ada' },
  });
  expect(await call('run', { text: order, input: { total: 2 } })).toMatchObject({
    ended: false,
    decisions: [{ prompt: 'Ship it?', options: ['yes', 'no'] }],
  });
  const pass = JSON.stringify({
    StartAt: 'A',
    States: { A: { Type: 'Pass', Result: 1, End: true } },
  });
  expect(await call('test_state', { text: pass, state: 'A' })).toMatchObject({
    status: 'succeeded',
    output: 1,
  });
  await expect(call('test_state', { text })).rejects.toThrow('Only the states of a workflow');
  await expect(call('check', { text: 7 })).rejects.toThrow('The arguments do not fit.');
});

test('unknown tools are refused, and a definition with errors is left out', async () => {
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain('start_small');
  expect(names).not.toContain('start_broken');
  await expect(call('start_broken')).rejects.toThrow('There is no tool "start_broken"');
  await expect(call('talk', { contact: 'nobody', message: 'x' })).resolves.toMatchObject({
    accepted: false,
    code: 'host/no-holder',
  });
});

test('garbage on standard input is skipped, and its end is the end of the command', async () => {
  const folder = await folderWith({ 'small.plan.json': smallPlan() });
  const child = spawn(process.execPath, [bin, 'mcp', folder], { stdio: ['pipe', 'pipe', 'pipe'] });
  const printed = streams.text(child.stdout);
  child.stdin.write('no json\n{"jsonrpc":"2.0"}\n[]\n\u0000\n');
  child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(0);
  const lines = (await printed).trim().split('\n');
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({ id: 1, result: {} });
});

test.each(['--pool', '--webhook'])(
  '%s is refused for a folder of definitions, which keeps nothing',
  async (option) => {
    const folder = await folderWith({ 'small.plan.json': smallPlan() });
    const value = option === '--pool' ? 'team=10' : 'https://example.com/out';
    const refused = await dramaturg(['mcp', folder, option, value]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`${option} is for a store`);
  },
);

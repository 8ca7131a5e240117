import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile, createHost, memoryStore, understudyPorts } from 'dramaturg';
import { mcpRoute } from 'dramaturg/mcp';
import { serveHost } from 'dramaturg/service';
import { expect, onTestFinished, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';
import { dramaturg, folderWith, installedDramaturg, smallPlan } from '../command.ts';

const fixture = fileURLToPath(new URL('../../../mcp/test/servers/stdio.ts', import.meta.url));
const crm = `crm=${process.execPath} --no-warnings ${fixture}`;

const callOf = (tool: string, index: number) => ({
  Type: 'Task',
  Agent: tool,
  ResultPath: `$.s${index}`,
  Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: `$.e${index}`, Next: `S${index + 1}` }],
  Next: `S${index + 1}`,
});

/** A workflow whose states call tools, and end with the name of the error that a tool has caused. */
const calling = (...tools: string[]) =>
  JSON.stringify({
    StartAt: 'S0',
    States: {
      ...Object.fromEntries(tools.map((tool, index) => [`S${index}`, callOf(tool, index)])),
      [`S${tools.length}`]: { Type: 'Succeed' },
    },
  });

function outputOf(stdout: string): unknown {
  const lines = stdout.trim().split('\n');
  return (JSON.parse(lines.at(-1)!) as { output?: unknown }).output;
}

test('a workflow calls the tools of a server that is named on the command line', async () => {
  const folder = await folderWith({ 'find.asl.json': calling('mcp:crm/data', 'mcp:crm/fail') });
  const ran = await installedDramaturg(
    ['run', 'find.asl.json', '--mcp-server', crm, '--input', '{"a":1}', '--json'],
    { cwd: folder },
  );
  expect(ran.stderr).toBe('');
  expect(outputOf(ran.stdout)).toMatchObject({
    s0: { found: { a: 1 } },
    e1: { Error: 'Mcp.ToolFailed' },
  });
});

test('a recorded run is repeated without its server', async () => {
  const folder = await folderWith({ 'find.asl.json': calling('mcp:crm/data') });
  const run = ['run', 'find.asl.json', '--json'];
  const first = await dramaturg([...run, '--mcp-server', crm, '--record', 'one.recording'], {
    cwd: folder,
  });
  const again = await dramaturg([...run, '--replay', 'one.recording'], { cwd: folder });
  expect(outputOf(again.stdout)).toEqual(outputOf(first.stdout));
});

test('the file of an editor names servers, their tools and secrets of the environment', async ({
  skip,
}) => {
  skip(!runsAll);
  const token = 'long-hidden-token';
  const asked: string[] = [];
  const host = await createHost({
    store: memoryStore(),
    definitions: { small: compile(smallPlan()) },
    ports: understudyPorts(),
  });
  const service = await serveHost(host, {
    http: '127.0.0.1:0',
    mount: mcpRoute(),
    tokens: async (given) => {
      asked.push(given);
      return given === token ? { name: 'desk', scopes: ['admin'] } : undefined;
    },
  });
  onTestFinished(() => host.stop());
  const file = {
    mcpServers: {
      crm: {
        type: 'http',
        url: `${service.url}/mcp`,
        headers: { Authorization: 'Bearer ${env:CRM_TOKEN}' },
        tools: ['instances'],
        description: 'Of an editor.',
      },
      other: { command: '${MISSING}', disabled: true },
    },
  };
  const folder = await folderWith({
    'find.asl.json': calling('mcp:crm/instances', 'mcp:crm/cancel'),
    '.mcp.json': JSON.stringify(file),
  });
  const surroundings = { cwd: folder, env: { CRM_TOKEN: token } };
  const started = await installedDramaturg(
    ['start', 'runs', 'find.asl.json', '--mcp-config', '.mcp.json', '--id', 'one', '--json'],
    surroundings,
  );
  expect(started).toMatchObject({ code: 0, stderr: '' });
  const shown = await dramaturg(['show', 'runs', 'one', '--json'], surroundings);
  expect(JSON.parse(shown.stdout)).toMatchObject({
    output: { s0: expect.stringContaining('"items"'), e1: { Error: 'Mcp.NotAllowed' } },
  });
  expect(new Set(asked)).toEqual(new Set([token]));
  const stored = await Promise.all(
    (await readdir(join(folder, 'runs'), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8')),
  );
  expect(stored.join('')).toContain('Mcp.NotAllowed');
  expect(stored.join('')).not.toContain(token);
});

test('a conversation recalls the resources that the file allows', async () => {
  const file = {
    mcpServers: {
      crm: {
        command: process.execPath,
        args: ['--no-warnings', fixture],
        tools: [],
        resources: ['docs:'],
      },
    },
  };
  const graph = new URL('../../../formats/context-graph/test/fixtures/one-state/', import.meta.url);
  const [name = ''] = (await readdir(graph)).filter((each) => each.includes('.context-graph.'));
  const folder = await folderWith({
    [name]: await readFile(new URL(name, graph), 'utf8'),
    '.mcp.json': JSON.stringify(file),
  });
  const args = ['run', name, '--mcp-config', '.mcp.json', '--record', 'one.recording'];
  const ran = await dramaturg(args, { cwd: folder, input: 'Can goods be returned?\n' });
  expect(ran.code).toBe(0);
  const recording = await readFile(join(folder, 'one.recording'), 'utf8');
  expect(recording).toContain('Goods may be returned within 30 days.');
  expect(recording).not.toContain('everybody earns');
});

test('an agent of a server that is not named fails, and nobody plays it', async () => {
  const folder = await folderWith({ 'find.asl.json': calling('mcp:crm/data') });
  const ran = await dramaturg(['run', 'find.asl.json', '--json'], { cwd: folder });
  expect(outputOf(ran.stdout)).toMatchObject({
    e0: {
      Error: 'States.AgentNotFound',
      Cause: expect.stringContaining('Name one with --mcp-server "crm=command" or --mcp-config.'),
    },
  });
});

test.each<readonly [given: string, sentence: string]>([
  ['crm', 'names no MCP server.'],
  ['a/b=node x.js', '"a/b" cannot name a server.'],
  ['crm=https://ada:geheim-geheim@example.com/mcp', 'has a password or a key'],
  [
    'crm=node x.js https://ada:geheim-geheim@example.com',
    'The command of the MCP server "crm" has',
  ],
  ...['--token sk-geheim0geheim0geheim0geheim0', '--api-key geheim', '--clientSecret=geheim'].map(
    (argument) => [`crm=node x.js --verbose ${argument}`, 'has a password or a key'] as const,
  ),
  ['crm=env CRM_KEY=geheim node x.js', 'has a password or a key'],
  ['crm=npx x --header X-Api-Key:geheim', 'has a password or a key'],
  ['crm=https://example.com/mcp?a=b&token=geheim', 'has a password or a key'],
])('--mcp-server %s is refused', async (given, sentence) => {
  const folder = await folderWith({ 'find.asl.json': calling('mcp:crm/data') });
  const ran = await dramaturg(['run', 'find.asl.json', '--mcp-server', given], { cwd: folder });
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain(sentence);
  expect(ran.stderr).toContain('hint:');
  expect(ran.stderr).not.toContain('geheim');
});

test.each([
  ['{', 'is not JSON'],
  ['{"servers":{}}', 'does not name MCP servers'],
  [
    '{"mcpServers":{"crm":{}}}',
    'Expected either the field "command" or the field "url" for the server "crm"',
  ],
  ['{"mcpServers":{"crm":{"url":"https://x.example","type":"sse"}}}', 'The type "sse"'],
  ['{"mcpServers":{"crm":{"command":"x","tool":["a"]}}}', 'Did you mean "tools"?'],
  ['{"mcpServers":{"crm":{"command":"x","env":{"K":"${NO_SUCH}"}}}}', 'The variable NO_SUCH'],
  ['{"mcpServers":{"crm":{"url":"file:///x"}}}', 'is not an HTTP address'],
  [
    '{"mcpServers":{"crm":{"url":"https://x.example","clientCredentials":{"clientId":"a","clientSecret":"b"}}}}',
    'clientCredentials.issuer',
  ],
])('the file %s is refused', async (text, sentence) => {
  const folder = await folderWith({ 'find.asl.json': calling('mcp:crm/data'), 'm.json': text });
  const ran = await dramaturg(['run', 'find.asl.json', '--mcp-config', 'm.json', '--json'], {
    cwd: folder,
  });
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain(sentence);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    error: expect.any(String),
    hint: expect.any(String),
  });
});

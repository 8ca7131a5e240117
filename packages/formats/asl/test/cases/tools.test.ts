import { compile, type Json, type JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { asl } from '../../src/index.ts';
import { type Agent, chain, only, run, type RunOptions, task } from '../run.ts';

/** Section B.11: the tools of an agent, and their limits. */

const wants =
  (...calls: [name: string, given?: JsonObject][]): Agent =>
  (_, { toolResults = [] }) =>
    toolResults.length === 0
      ? { toolCalls: calls.map(([name, given = {}]) => ({ name, arguments: given })) }
      : (toolResults as Json);

const callTool: NonNullable<NonNullable<RunOptions['ports']>['callTool']> = ({ tool }) => ({
  result: `${tool} done`,
});

const using = (tools: JsonObject, agent: Agent, workflow: JsonObject = {}) =>
  run(
    { ...only(task({ Tools: tools })), ...workflow },
    { agents: { A: agent }, ports: { callTool } },
  );

test.for([
  [{ Allowed: ['a'] }, { allowed: ['a'], denied: [] }],
  [{ Denied: ['a'] }, { denied: ['a'] }],
  [
    { Allowed: ['a', 'b'], Denied: ['b'] },
    { allowed: ['a', 'b'], denied: ['b'] },
  ],
  [{ Allowed: [] }, { allowed: [], denied: [] }],
  [{ Allowed: ['*'], Denied: ['b'] }, { denied: ['b'] }],
  [{ AllowedCategories: ['files'] }, { allowed: ['read', 'write'], denied: [] }],
  [{ Allowed: ['*'], Denied: ['files'] }, { denied: ['files', 'read', 'write'] }],
] as const)('an agent is told what it may use: %j', async ([tools, told]) => {
  const { calls } = await using(tools, () => 1, {
    ToolCategories: { files: ['read', 'write'] },
  });
  expect(calls[0]).toMatchObject({ tools: told, toolResults: [] });
});

test('a list that is too long is an error, and is not cut silently', () => {
  const long = Array.from({ length: 1_001 }, (_, index) => `t${index}`);
  const definition = {
    DefaultTools: { Denied: long },
    ToolCategories: { files: long },
    ...only(task({ Tools: { Allowed: ['a'], FileSystem: { DeniedPaths: long } } })),
  };
  const { diagnostics } = compile(JSON.stringify(definition), { formats: [asl], format: 'asl' });
  const found = diagnostics.filter(({ code }) => code === 'asl/too-many');
  expect(found.map(({ path }) => path.join('.'))).toEqual([
    'DefaultTools.Denied',
    'ToolCategories.files',
    'States.S.Tools.FileSystem.DeniedPaths',
  ]);
});

test('a task has the tools of its workflow, except for those that the workflow denies', async () => {
  const workflow = {
    ...chain({ One: task(), Two: task({ Tools: { Allowed: ['b'], Denied: ['d'] } }) }),
    DefaultTools: { Allowed: ['a'], Denied: ['c'] },
  };
  const { calls } = await run(workflow, { agents: { A: () => 1 } });
  expect(calls.map(({ tools }) => tools)).toEqual([
    { allowed: ['a'], denied: ['c'] },
    { allowed: ['b'], denied: ['c', 'd'] },
  ]);
});

test('a tool that is not allowed is refused, and the agent receives the reason', async () => {
  const { output, events } = await using({ Allowed: ['a'] }, wants(['a'], ['b']));
  expect(output).toMatchObject({
    output: [
      { name: 'a', result: 'a done' },
      { name: 'b', error: 'The tool "b" may not be used.' },
    ],
  });
  expect(events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['tool.called', 'tool.refused']),
  );
});

test.for([
  [{ Domains: { Allowed: ['*.example.com'] } }, { url: 'https://api.example.com/x' }, true],
  [{ Domains: { Allowed: ['*.example.com'] } }, { url: 'https://example.com.evil.org' }, false],
  [
    { Domains: { Allowed: ['*.example.com'] } },
    { url: 'https://evil.org\\@api.example.com' },
    false,
  ],
  [{ Domains: { Allowed: ['*.example.com'] } }, { url: 'https://api.example.com@evil.org' }, false],
  [{ Domains: { Denied: ['evil.org'] } }, { deep: [{ link: 'HTTP://EVIL.org./' }] }, false],
  [{ Network: { AllowedDomains: ['example.com'] } }, { host: 'example.com' }, true],
  [{ FileSystem: { AllowedPaths: ['./data/**'] } }, { path: 'data/a/b.txt' }, true],
  [{ FileSystem: { AllowedPaths: ['./data/**'] } }, { path: './data/../secret' }, false],
  [{ FileSystem: { AllowedPaths: ['./data/**'] } }, { path: '../data/x' }, false],
  [{ FileSystem: { DeniedPaths: ['./.env'] } }, { file: '.env' }, false],
  [{ FileSystem: { DeniedPaths: ['./.env'] } }, { file: ' .env\n' }, false],
  [{ FileSystem: { DeniedPaths: ['/etc/**'] } }, { file: '../../../etc/passwd' }, false],
  [{ FileSystem: { AllowedPaths: ['*'], AllowedExtensions: ['.md'] } }, { path: 'a.sh' }, false],
  [{ Validation: { a: { Input: { Schema: { type: 'object', required: ['q'] } } } } }, {}, false],
  [{ Validation: { a: { Output: { MaxSize: '1K' } } } }, {}, true],
  [{ Validation: { a: { Output: { MaxSize: 3 } } } }, {}, false],
] as const)('arguments are judged: %j %j', async ([tools, given, isUsed]) => {
  const { output } = await using(tools, wants(['a', given]));
  const [result] = (output as unknown as { output: JsonObject[] }).output;
  expect('result' in result!).toBe(isUsed);
});

const data = { FileSystem: { AllowedPaths: ['./data/**', '/data/**'] } };

test.for([
  'file:///etc/passwd',
  'FILE:\\\\\\etc\\passwd',
  ' file:///etc/passwd',
  'fi\tle:/etc/passwd',
  'file:///data/../etc/passwd',
  'file:///data/%2e%2e/etc/passwd',
  'file:///etc%2Fpasswd',
  'file:///data/%ff',
  'file://data/etc/passwd',
  'file:///data/a?/../../etc/passwd',
  'file:etc/passwd',
  'file://../../etc/passwd',
  'ab://../../../../../etc/passwd',
  'https://../../../../../etc/passwd',
  'data\\..\\..\\etc\\passwd',
  'data/%2E%2E/etc/passwd',
])('no spelling of a path leaves the allowed folders: %j', async (path) => {
  const { output } = await using(data, wants(['a', { path }]));
  expect(output).toMatchObject({ output: [{ error: `The file "${path}" may not be used.` }] });
});

test('a path whose search takes too many steps is refused for this reason', async () => {
  const patterns = Array.from({ length: 20 }, (_, index) => `**/x${index}`);
  const path = `${'a/'.repeat(60_000)}b`;
  const error = async (lists: JsonObject) => {
    const { output } = await using({ FileSystem: lists }, wants(['a', { path }]));
    return JSON.stringify(output);
  };
  expect(await error({ AllowedPaths: patterns })).toContain('could not be checked');
  expect(await error({ DeniedPaths: patterns })).toContain('could not be checked');
  expect(await error({ AllowedPaths: ['**'] })).not.toContain('error');
});

test.for([
  ['path', 'file:///data/a.txt'],
  ['path', 'file://localhost/data/a%20b.txt'],
  ['path', 'data/100%.txt'],
  ['path', 'data\\a.txt'],
  ['source', 'https://example.com/a.txt'],
  ['url', 'ab://example.com/a.txt'],
  ['note', 'file: see above'],
] as const)('what is allowed, and what is no file, may be used: %s %j', async ([key, text]) => {
  const { output } = await using(data, wants(['a', { [key]: text }]));
  expect(output).toMatchObject({ output: [{ result: 'a done' }] });
});

test('a file URL is checked in any field', async () => {
  const { output } = await using(data, wants(['a', { url: 'file:///etc/passwd' }]));
  expect(output).toMatchObject({ output: [{ error: expect.any(String) as string }] });
});

test('a tool over its rate limit fails the task, or waits', async () => {
  const calls = wants(['a'], ['a'], ['b'], ['b'], ['b']);
  const limits = (rule: JsonObject) => ({ RateLimits: { a: { MaxPerMinute: 1, ...rule } } });
  const failed = await using(limits({}), calls);
  expect(failed.output).toMatchObject({ error: 'RateLimitExceeded' });
  const waited = await using(limits({ OnExceed: 'queue' }), calls);
  expect(waited.seconds).toBe(60);
  expect(waited.output).toMatchObject({ output: { length: 5 } });
  const any = await using({ RateLimits: { '*': { MaxPerHour: 2, OnExceed: 'wait' } } }, calls);
  expect(any.seconds).toBe(3600);
});

test('calls over the burst limit come at the rate of the shortest limit', async () => {
  const calls = wants(['a'], ['a'], ['a'], ['a'], ['a']);
  const limits = (rule: JsonObject) => ({ RateLimits: { a: rule } });
  const wait = { BurstLimit: 2, OnExceed: 'wait' };
  expect((await using(limits({ ...wait, MaxPerMinute: 60 }), calls)).seconds).toBe(3);
  expect((await using(limits({ ...wait, MaxPerHour: 60 }), calls)).seconds).toBe(180);
  expect((await using(limits(wait), calls)).seconds).toBe(1.5);
  expect((await using(limits({ BurstLimit: 5 }), calls)).output).toMatchObject({
    status: 'succeeded',
  });
  expect((await using(limits({ BurstLimit: 4 }), calls)).output).toMatchObject({
    error: 'RateLimitExceeded',
  });
});

describe('calls of a tool at the same time', () => {
  const Tools = (rule: JsonObject) => ({ RateLimits: { '*': rule } });
  const inBranches = (rule: JsonObject) => ({
    Type: 'Parallel',
    Branches: [1, 2, 3].map(() => ({
      StartAt: 'T',
      States: { T: task({ Tools: Tools(rule), End: true }) },
    })),
    End: true,
  });
  const inItems = (rule: JsonObject) => ({
    Type: 'Map',
    ItemsPath: '$.items',
    MaxConcurrency: 3,
    ItemProcessor: { StartAt: 'T', States: { T: task({ Tools: Tools(rule), End: true }) } },
    End: true,
  });

  async function most(state: JsonObject) {
    let running = 0;
    let highest = 0;
    const { output } = await run(only(state), {
      input: { items: [1, 2, 3] },
      agents: { A: wants(['a'], ['a']) },
      ports: {
        callTool: async () => {
          highest = Math.max(highest, (running += 1));
          for (let turn = 0; turn < 200; turn += 1) await Promise.resolve();
          running -= 1;
          return { result: 'done' };
        },
      },
    });
    return { highest, output };
  }

  test.each([
    ['branches', inBranches],
    ['items', inItems],
  ] as const)('are limited in %s', async (_, stateOf) => {
    expect(await most(stateOf({ MaxPerDay: 99 }))).toMatchObject({ highest: 3 });
    for (const MaxConcurrent of [1, 2])
      expect(await most(stateOf({ MaxConcurrent, OnExceed: 'wait' }))).toMatchObject({
        highest: MaxConcurrent,
        output: { status: 'succeeded' },
      });
    expect((await most(stateOf({ MaxConcurrent: 1 }))).output).toMatchObject({
      error: 'RateLimitExceeded',
    });
  });
});

test('an agent that keeps asking for tools fails its task', async () => {
  const { output, calls } = await using({}, () => ({ toolCalls: [{ name: 'a' }] }));
  expect(output).toMatchObject({ error: 'Agent.ToolError' });
  expect(calls).toHaveLength(101);
});

test('a tool that times out returns an error, and the agent goes on', async () => {
  const { output } = await run(only(task({ Tools: { Timeout: '5s' } })), {
    agents: { A: wants(['a']) },
    ports: { callTool: () => new Promise(() => {}) },
  });
  expect(output).toMatchObject({ output: [{ name: 'a', error: 'It took too long.' }] });
});

test('limits that are not enforced are reported everywhere', () => {
  const tools = {
    Validation: { a: { Output: { MaxSize: 9, Sanitize: true } } },
    FileSystem: { AllowedPaths: ['x'], MaxFileSize: '1M' },
  };
  const workflow = { ...only(task({ Tools: tools })), DefaultTools: { Sandboxed: true } };
  const { diagnostics } = compile(JSON.stringify(workflow), { formats: [asl], format: 'asl' });
  expect(diagnostics.map(({ code, path }) => [code, path])).toEqual(
    [
      ['States', 'S', 'Tools', 'Validation', 'a', 'Output', 'Sanitize'],
      ['States', 'S', 'Tools', 'FileSystem', 'MaxFileSize'],
      ['DefaultTools', 'Sandboxed'],
    ].map((path) => ['asl/not-enforced', path]),
  );
});

test.for([
  [{ Denied: ['delete_*'] }, ['delete_file', 'read_file'], ['delete_file']],
  [{ Denied: ['*'] }, ['read_file'], ['read_file']],
  [{ Denied: ['*_file', 'x'] }, ['read_file', 'files'], ['read_file']],
  [{ Allowed: ['read_*'] }, ['read_file', 'delete_file'], ['delete_file']],
  [{ Allowed: ['a*b*c'] }, ['abc', 'abbc', 'ac', 'cba'], ['ac', 'cba']],
] as const)('%j refuses tools by patterns', async ([tools, wanted, refused]) => {
  const { output } = await using(tools, wants(...wanted.map((name): [string] => [name])));
  const { output: results } = output as unknown as {
    output: { name: string; error?: string }[];
  };
  expect(results.filter(({ error }) => error).map(({ name }) => name)).toEqual(refused);
});

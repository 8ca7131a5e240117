import { expect, test } from 'vitest';
import { runsAll } from '../../../.config/scaled.ts';
import { calling, codeOf, stdioServer } from './use.ts';

const servers = { crm: stdioServer() };

test('a tool of a stdio server gets arguments and an idempotency key, and its text is the result', async () => {
  await calling({ servers }, async (call) => {
    expect(await call('echo', { a: 1 })).toBe('{"a":1}');
    expect(await call('key')).toBe('run/1');
    expect(await call('data', { a: 1 })).toEqual({ found: { a: 1 } });
  });
});

test('a server gets only the listed environment variables', async () => {
  process.env['SECRET_OF_HOST'] = 'x';
  process.env['SHARED_WITH_CRM'] = 'y';
  const crm = { ...stdioServer(), env: { OWN: '1' }, inheritEnv: ['SHARED_WITH_CRM'] };
  await calling({ servers: { crm } }, async (call) => {
    const names = ((await call('env')) as string).split(' ');
    expect(names).toEqual(expect.arrayContaining(['OWN', 'PATH', 'SHARED_WITH_CRM']));
    expect(names).not.toContain('SECRET_OF_HOST');
  });
});

test('a call fails when the server is killed, and the next one starts the server again', async ({
  skip,
}) => {
  skip(!runsAll);
  await calling({ servers }, async (call) => {
    expect(await codeOf(call('die'))).toBe('mcp/server-lost');
    expect(await call('echo', { again: true })).toBe('{"again":true}');
    const many = await Promise.all(['die', 'slow', 'slow'].map((tool) => codeOf(call(tool))));
    expect(many).toEqual(['mcp/server-lost', 'mcp/server-lost', 'mcp/server-lost']);
    expect(await call('echo')).toBe('{}');
  });
});

test('a failed tool is an error with its text in one line', async () => {
  await calling({ servers }, async (call) => {
    await expect(call('fail')).rejects.toThrow(
      'The tool "crm/fail" failed: The customer is unknown.',
    );
  });
});

test('the sizes of a result and of a message are limited', async () => {
  await calling({ servers, limits: { resultSize: 1_000 } }, async (call) => {
    expect(await call('big', { size: 900 })).toHaveLength(900);
    expect(await codeOf(call('big', { size: 2_000 }))).toBe('mcp/too-large');
    expect(await codeOf(call('big', { size: 3_000_000 }))).toBe('mcp/too-large');
    expect(await call('echo')).toBe('{}');
  });
});

test('a slow tool ends at the time limit', async ({ skip }) => {
  skip(!runsAll);
  // The limit is for the start of the server too, which takes longer on a busy machine.
  const codes: unknown[] = [];
  for (const timeMs of [2_000, 10_000, 50_000]) {
    await calling({ servers, limits: { timeMs } }, async (call) => {
      codes.push(await codeOf(call('slow')));
      codes.push(await call('echo').catch(() => 'started too late'));
    });
    if (codes.at(-1) === '{}') break;
  }
  expect(codes.slice(-2)).toEqual(['mcp/timed-out', '{}']);
});

test('a cancelled call fails with the reason of its signal', async () => {
  await calling({ servers }, async (call) => {
    const controller = new AbortController();
    await call('echo');
    const slow = call('slow', {}, controller.signal);
    controller.abort(new Error('The run was cancelled.'));
    await expect(slow).rejects.toThrow('The run was cancelled.');
    expect(await call('echo')).toBe('{}');
  });
});

test('progress is reported with the key of the call', async () => {
  const reported: unknown[] = [];
  await calling({ servers, onProgress: (each) => reported.push(each) }, async (call) => {
    await call('steps');
  });
  expect(reported).toEqual(
    [1, 2, 3].map((progress) => ({
      server: 'crm',
      tool: 'steps',
      key: 'run/1',
      progress,
      total: 3,
      message: undefined,
    })),
  );
});

test('a tool whose description changes is refused, and its new text reaches no error', async () => {
  const changes: string[] = [];
  await calling({ servers, onToolsChanged: (name) => changes.push(name) }, async (call) => {
    await call('echo');
    await call('betray');
    expect(await codeOf(call('echo'))).toBe('mcp/tool-changed');
    await expect(call('echo')).rejects.not.toThrow('passwords');
    expect(await call('data')).toEqual({ found: {} });
  });
  expect(changes).toEqual(['crm']);
  await calling({ servers, changedTools: 'accept' }, async (call) => {
    await call('echo');
    await call('betray');
    expect(await call('echo')).toBe('{}');
  });
});

test('a command that does not exist is one sentence', async () => {
  await calling({ servers: { crm: { command: '/does/not/exist' } } }, async (call) => {
    await expect(call('echo')).rejects.toThrow(/^The MCP server "crm" cannot be reached: .*ENOENT/);
  });
});

test.each([
  ['garbage-first', 'gone'],
  ['odd-list', 'gone'],
  ['foreign-ids', 'own'],
  ['odd-result', null],
])('a server that misbehaves (%s) changes nothing', async (mode, expected) => {
  await calling({ servers: { crm: stdioServer('hostile-stdio.ts', mode) } }, async (call) => {
    expect(await call('go')).toBe(expected);
  });
});

test.each([
  ['mute', 'mcp/timed-out'],
  ['silent', 'mcp/timed-out'],
  ['flood', 'mcp/too-large'],
  ['refuse', 'mcp/bad-answer'],
  ['endless-list', 'mcp/unknown-tool'],
])('a server that fails (%s) fails the call with %s', async (mode, code) => {
  const crm = stdioServer('hostile-stdio.ts', mode);
  const limits = code === 'mcp/timed-out' ? { timeMs: 500 } : {};
  await calling({ servers: { crm }, limits }, async (call) => {
    expect(await codeOf(call('go'))).toBe(code);
  });
});

import { check, type Json } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { asl } from '../../src/index.ts';
import { chain, echo, only, pass, run, task } from '../run.ts';

/** Section B.13: the audit of a state, and data that no event shows. */

const secret = 'hunter2';
const data = {
  password: secret,
  name: 'Ada',
  users: [
    { key: secret, id: 1 },
    { key: secret, id: 2 },
  ],
  deep: { nested: { token: secret } },
};
const Redact = ['$.password', '$.users[*].key', '$..token', '$.missing'];

test('no event shows what is redacted, in any state, and the data stay', async () => {
  const seen: Json[] = [];
  const workflow = chain({
    Before: pass(),
    T: task({
      Audit: { LogLevel: 'full', Redact },
      Events: { OnEnter: { Type: 'entering', Include: ['$.name'] } },
    }),
    After: pass(),
  });
  const { events, output } = await run(workflow, {
    input: data,
    agents: { A: (input: Json) => (seen.push(input), input) },
  });
  expect(seen).toEqual([data]);
  expect(output).toMatchObject({ status: 'succeeded', output: data });
  expect(events.length).toBeGreaterThan(7);
  expect(JSON.stringify(events)).not.toContain(secret);
  expect(events.find(({ type }) => type === 'state.entered')).toMatchObject({
    input: {
      password: '[REDACTED]',
      name: 'Ada',
      users: [{ key: '[REDACTED]', id: 1 }, { id: 2 }],
    },
  });
});

test.for([
  ['minimal', {}],
  ['standard', { input: { a: 1 }, output: { a: 1 } }],
  [undefined, { input: { a: 1 }, output: { a: 1 } }],
] as const)('the record of the level %s', async ([level, shown]) => {
  const audit = { ...(level && { LogLevel: level }), Metrics: ['latency', 'tokens', 'cost'] };
  const { events } = await run(only(task({ Audit: audit })), {
    input: { a: 1 },
    agents: { A: async (_, { works }) => (await works!(2), { a: 1 }) },
  });
  expect(events.filter(({ type }) => type === 'task.audited')).toEqual([
    {
      type: 'task.audited',
      state: 'S',
      level: level ?? 'standard',
      status: 'succeeded',
      ...shown,
      metrics: { latency: 2000, tokens: 0, cost: 0 },
    },
  ]);
});

test('a failed attempt is recorded, and the tools of a full record are redacted', async () => {
  const workflow = only(
    task({
      Audit: { LogLevel: 'full', Redact: ['$.password'] },
      Tools: {},
      ResultSelector: { 'missing.$': '$.missing' },
    }),
  );
  const { events } = await run(workflow, {
    agents: {
      A: (_, { toolResults = [] }) =>
        toolResults.length > 0
          ? 'done'
          : { toolCalls: [{ name: 'log_in', arguments: { password: secret } }] },
    },
    ports: { callTool: () => ({ result: { password: secret } }) },
  });
  expect(JSON.stringify(events)).not.toContain(secret);
  expect(events.find(({ type }) => type === 'task.audited')).toMatchObject({
    status: 'failed',
    error: 'States.ParameterPathFailure',
    toolResults: [{ arguments: { password: '[REDACTED]' }, result: { password: '[REDACTED]' } }],
  });
});

test('arguments of tools may be kept out of events', async () => {
  const workflow = only(task({ Tools: { Audit: { Enabled: true, IncludeParameters: false } } }));
  const { events } = await run(workflow, {
    agents: {
      A: (_, { toolResults = [] }) =>
        toolResults.length > 0 ? 'done' : { toolCalls: [{ name: 'a', arguments: { secret } }] },
    },
    ports: { callTool: () => ({ result: null }) },
  });
  expect(events.find(({ type }) => type === 'tool.called')).toEqual({
    type: 'tool.called',
    state: 'S',
    tool: 'a',
  });
});

test('a path that cannot be read is an error, because its data would be shown', () => {
  const workflow = only(task({ Audit: { Redact: ['$.a', 'password', '$.b[', '$$.Execution'] } }));
  const { diagnostics } = check(JSON.stringify(workflow), { formats: [asl], format: 'asl' });
  expect(diagnostics.map(({ code, path }) => [code, path.at(-1)])).toEqual([
    ['asl/bad-path', 1],
    ['asl/bad-path', 2],
    ['asl/bad-path', 3],
  ]);
});

test('items redact their data too', async () => {
  const workflow = only({
    Type: 'Map',
    ItemsPath: '$',
    Iterator: {
      StartAt: 'T',
      States: { T: task({ Audit: { Redact: ['$.password', '$[*].password'] }, End: true }) },
    },
  });
  const { events } = await run(workflow, { input: [{ password: secret }], agents: { A: echo } });
  expect(events.filter(({ type }) => type === 'task.audited')).toHaveLength(1);
  expect(JSON.stringify(events)).not.toContain(secret);
});

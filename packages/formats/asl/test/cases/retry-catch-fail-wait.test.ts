import { type JsonObject, PortError } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import {
  type Agent,
  agentDialect,
  chain,
  echo,
  failure,
  only,
  outputOf,
  pass,
  run,
  startAt,
  task,
} from '../run.ts';

/** Section G: Retry, Catch, Fail and Wait. */

const fails =
  (error: string, cause = '') =>
  () =>
    Promise.reject(failure(error, cause));

function retry(...retriers: JsonObject[]): JsonObject {
  return { Retry: retriers };
}

test('G61 an agent is called until it succeeds', async () => {
  const policy = { ErrorEquals: ['Agent.TemporaryError'], MaxAttempts: 3, IntervalSeconds: 0 };
  const agents = {
    A: (_: unknown, { calls }: { calls: number }) => {
      if (calls < 3) throw failure('Agent.TemporaryError');
      return 'fine';
    },
  };
  const { output, calls } = await run(only(task(retry(policy))), { agents });
  expect(output).toEqual({ status: 'succeeded', output: 'fine' });
  expect(calls).toHaveLength(3);
  expect(new Set(calls.map(({ key }) => key)).size).toBe(3);
});

test('G62 the defaults are three retries, after 1, 2 and 4 seconds', async () => {
  const { output, calls, seconds } = await run(only(task(retry({ ErrorEquals: ['E'] }))), {
    agents: { A: fails('E', 'boom') },
  });
  expect(output).toEqual({ status: 'failed', error: 'E', cause: 'boom' });
  expect(calls).toHaveLength(4);
  expect(seconds).toBe(7);
});

test('G63 no delay is longer than MaxDelaySeconds', async () => {
  const policy = {
    ErrorEquals: ['E'],
    IntervalSeconds: 5,
    BackoffRate: 2,
    MaxAttempts: 5,
    MaxDelaySeconds: 60,
  };
  const { events } = await run(only(task(retry(policy))), { agents: { A: fails('E') } });
  const delays = events.flatMap((event) =>
    event.type === 'task.retried' ? [event.after / 1000] : [],
  );
  expect(delays).toEqual([5, 10, 20, 40, 60]);
});

test('G64 no attempts, or a retrier for something else: one call', async () => {
  for (const policy of [{ ErrorEquals: ['E'], MaxAttempts: 0 }, { ErrorEquals: ['Other'] }]) {
    const { calls } = await run(only(task(retry(policy))), { agents: { A: fails('E') } });
    expect(calls).toHaveLength(1);
  }
});

test('G65 an error that remains after all retries is caught', async () => {
  const recovery = {
    ...retry({ ErrorEquals: ['E'], MaxAttempts: 1 }),
    Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.err', Next: 'H' }],
  };
  const workflow = chain({ S: task(recovery, { End: true }), H: pass() });
  const output = await outputOf(workflow, { input: { in: 1 }, agents: { A: fails('E', 'boom') } });
  expect(output).toEqual({ in: 1, err: { Error: 'E', Cause: 'boom' } });
});

test('G66 the first catcher that fits takes the error', async () => {
  const Catch = [
    { ErrorEquals: ['E'], Next: 'First' },
    { ErrorEquals: ['States.ALL'], Next: 'Second' },
  ];
  const workflow = chain({
    S: task({ Catch, End: true }),
    First: pass({ Result: 'first', End: true }),
    Second: pass({ Result: 'second' }),
  });
  expect(await outputOf(workflow, { agents: { A: fails('E') } })).toBe('first');
  expect(await outputOf(workflow, { agents: { A: fails('F') } })).toBe('second');
});

test('an error has one event where it arises unless it is caught there, and one where it is caught', async () => {
  const Catch = [{ ErrorEquals: ['E'], Next: 'After' }];
  const After = pass({ End: true });
  const withNext = (name: string, state: JsonObject) => ({
    StartAt: name,
    States: { [name]: { ...state, End: true }, ...('Catch' in state ? { After } : {}) },
  });
  const trail = async (inner: JsonObject, outer: JsonObject) => {
    const around = { Type: 'Parallel', Branches: [withNext('In', inner)], ...outer };
    const { events } = await run(withNext('Around', around), { agents: { A: fails('E') } });
    return events.flatMap((event) =>
      ['state.failed', 'error.caught'].includes(event.type)
        ? [`${event.type} ${String(Reflect.get(event, 'state'))}`]
        : [],
    );
  };
  const other = { Catch: [{ ErrorEquals: ['Other'], Next: 'After' }] };
  const retried = retry({ ErrorEquals: ['E'], MaxAttempts: 1 });
  expect(await trail(task(), { Catch })).toEqual(['state.failed In', 'error.caught Around']);
  expect(await trail(task(retried), other)).toEqual(['state.failed In']);
  expect(await trail(task({ Catch }), {})).toEqual(['error.caught In']);
  const wrong = { Catch: [{ ErrorEquals: ['E'], Next: 'After', ResultPath: '$.a[0].b' }] };
  expect((await trail(task(wrong), {})).at(-1)).toBe('state.failed In');
});

test('G67 a caught error goes to $.error unless the catcher says otherwise', async () => {
  const Catch = [{ ErrorEquals: ['States.ALL'], Next: 'H' }];
  const workflow = chain({ S: task({ Catch, End: true }), H: pass() });
  const output = await outputOf(workflow, { input: { in: 1 }, agents: { A: fails('E', 'boom') } });
  expect(output).toEqual({ in: 1, error: { Error: 'E', Cause: 'boom' } });
});

test('G68 an error that nothing names ends the run; names are exact', async () => {
  const Catch = [{ ErrorEquals: ['e'], Next: 'H' }];
  const workflow = chain({ S: task({ Catch, End: true }), H: pass() });
  const { output } = await run(workflow, { agents: { A: fails('E', 'boom') } });
  expect(output).toEqual({ status: 'failed', error: 'E', cause: 'boom' });
});

test('G69 an error without a name is States.TaskFailed', async () => {
  const agents = { A: () => Promise.reject(new Error('it broke')) };
  const { output } = await run(only(task()), { agents });
  expect(output).toEqual({ status: 'failed', error: 'States.TaskFailed', cause: 'it broke' });
});

test('G70 an unknown agent is States.AgentNotFound', async () => {
  const { output } = await run(only(task()), {});
  expect(output).toMatchObject({ status: 'failed', error: 'States.AgentNotFound' });
});

test.for([
  [{ Type: 'Fail', ErrorPath: '$.code' }, 'States.Runtime'],
  [
    { Type: 'Fail', Error: '{% $states.input.code %}', QueryLanguage: 'JSONata' },
    'States.QueryEvaluationError',
  ],
] as const)('the error %j of a Fail that is no text fails with %s', async ([state, error]) => {
  const options = { dialect: 'amazon' };
  const { output } = await run(only(state), { input: { code: 404 }, options });
  expect(output).toMatchObject({ status: 'failed', error });
});

test('G71 a Fail fails with its own error and cause', async () => {
  const words = { Error: 'ValidationError', Cause: 'Input validation failed' };
  const { output } = await run(only({ Type: 'Fail', ...words }));
  expect(output).toEqual({ status: 'failed', error: words.Error, cause: words.Cause });
  const silent = await run(only({ Type: 'Fail' }), agentDialect);
  expect(silent.output).toEqual({
    status: 'failed',
    error: 'States.Failed',
    cause: 'Workflow failed',
  });
  const amazon = await run(only({ Type: 'Fail' }), { options: { dialect: 'amazon' } });
  expect(amazon.output).toEqual({ status: 'failed', error: null, cause: null });
});

test('G72 a Wait waits as long as it says', async () => {
  const waits = async (fields: JsonObject, input: JsonObject = {}) => {
    const { seconds, output } = await run(only({ Type: 'Wait', ...fields }), { input });
    expect(output).toEqual({ status: 'succeeded', output: input });
    return seconds;
  };
  expect(await waits({ Seconds: 0 })).toBe(0);
  expect(await waits({ Seconds: 90 })).toBe(90);
  expect(await waits({ Timestamp: '2020-01-01T00:00:00Z' })).toBe(0);
  expect(await waits({ Timestamp: '2026-01-20T10:31:00Z' })).toBe(60);
  expect(await waits({ SecondsPath: '$.s' }, { s: 5 })).toBe(5);
  expect(await waits({ TimestampPath: '$.t' }, { t: '2026-01-20T11:30:00+00:00' })).toBe(3600);
  await expect(run(only({ Type: 'Wait' }))).rejects.toThrow(/does not compile/);
});

const mostSeconds = 99_999_999;

test.for([0, 1, mostSeconds])('%d seconds are a wait, wherever they are given', async (given) => {
  for (const fields of [{ Seconds: given }, { SecondsPath: '$.s' }, jsonata('Seconds')]) {
    const { output, seconds } = await run(waiting(fields), { input: { s: given } });
    expect(output).toMatchObject({ status: 'succeeded' });
    expect(seconds).toBe(given);
  }
});

test.for([-1, 0.5, mostSeconds + 1])('%d seconds are no wait', async (given) => {
  await expect(run(waiting({ Seconds: given }))).rejects.toThrow(/does not compile/);
  for (const [fields, error] of [
    [{ SecondsPath: '$.s' }, 'States.Runtime'],
    [jsonata('Seconds'), 'States.QueryEvaluationError'],
  ] as const) {
    const { output, seconds } = await run(waiting(fields), { input: { s: given } });
    expect(output).toMatchObject({ status: 'failed', error });
    expect(seconds).toBe(0);
  }
});

const late: Agent = async (_, { works }) => (await works!(2 * mostSeconds), 'late');

function waiting(fields: JsonObject): JsonObject {
  return only({ Type: 'Wait', ...fields });
}

function jsonata(field: string): JsonObject {
  return { QueryLanguage: 'JSONata', [field]: '{% $states.input.s %}' };
}

test('a timestamp may be as many seconds away as a signed 32-bit integer holds', async () => {
  const most = 2 ** 31 - 1;
  for (const [after, status] of [
    [most, 'succeeded'],
    [most + 1, 'failed'],
  ] as const) {
    const Timestamp = new Date(startAt + after * 1000).toISOString();
    const { output, seconds } = await run(waiting({ Timestamp }));
    expect(output).toMatchObject({ status });
    expect(seconds).toBe(status === 'succeeded' ? most : 0);
  }
});

test.for([1, mostSeconds])('%d seconds are a timeout, wherever they are given', async (given) => {
  for (const field of ['TimeoutSeconds', 'HeartbeatSeconds'])
    for (const fields of [{ [field]: given }, { [`${field}Path`]: '$.s' }, jsonata(field)]) {
      const { output, seconds } = await run(only(task(fields)), {
        input: { s: given },
        agents: { A: late },
      });
      expect(output).toMatchObject({ status: 'failed', error: 'States.Timeout' });
      expect(seconds).toBe(given);
    }
});

test.for([-1, 0, 0.5, mostSeconds + 1])('%d seconds are no timeout', async (given) => {
  for (const field of ['TimeoutSeconds', 'HeartbeatSeconds']) {
    await expect(run(only(task({ [field]: given })))).rejects.toThrow(/does not compile/);
    for (const [fields, error] of [
      [{ [`${field}Path`]: '$.s' }, 'States.Runtime'],
      [jsonata(field), 'States.QueryEvaluationError'],
    ] as const) {
      const { output, calls } = await run(only(task(fields)), {
        input: { s: given },
        agents: { A: echo },
      });
      expect(output).toMatchObject({ status: 'failed', error });
      expect(calls).toHaveLength(0);
    }
  }
});

const robust: JsonObject = {
  StartAt: 'Process',
  States: {
    Process: {
      Type: 'Task',
      Agent: 'Primary',
      TimeoutSeconds: 120,
      Retry: [
        { ErrorEquals: ['RateLimitExceeded'], IntervalSeconds: 30, MaxAttempts: 5, BackoffRate: 2 },
        { ErrorEquals: ['States.Timeout'], IntervalSeconds: 5, MaxAttempts: 2 },
      ],
      Catch: [
        { ErrorEquals: ['Agent.ModelError'], ResultPath: '$.error', Next: 'Alternative' },
        { ErrorEquals: ['ValidationError'], ResultPath: '$.error', Next: 'InvalidInput' },
        { ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'ProcessingFailed' },
      ],
      End: true,
    },
    Alternative: { Type: 'Task', Agent: 'Alternative', End: true },
    InvalidInput: { Type: 'Fail', Error: 'InvalidInput', 'Cause.$': '$.error.Cause' },
    ProcessingFailed: { Type: 'Fail', Error: 'ProcessingFailed', Cause: 'gave up' },
  },
};

test('G73 a workflow waits for rate limits, falls back to other models, and fails after timeouts', async () => {
  const limited = await run(robust, {
    agents: {
      Primary: (_, { calls }) => {
        if (calls <= 2) throw failure('States.RateLimitExceeded');
        return 'fine';
      },
    },
  });
  expect(limited.output).toEqual({ status: 'succeeded', output: 'fine' });
  expect(limited.seconds).toBe(90);
  const replaced = await run(robust, {
    agents: { Primary: fails('Agent.ModelError'), Alternative: () => 'other' },
  });
  expect(replaced.output).toEqual({ status: 'succeeded', output: 'other' });
  const silent = await run(robust, { agents: { Primary: () => new Promise<never>(() => {}) } });
  expect(silent.output).toEqual({ status: 'failed', error: 'ProcessingFailed', cause: 'gave up' });
  // Three calls of 120 seconds each, and the pauses of 5 and 10 between them.
  expect(silent.seconds).toBe(3 * 120 + 15);
});

test('G74 the cause of a Fail can be read from the data', async () => {
  const { output } = await run(robust, {
    input: { doc: 1 },
    agents: { Primary: fails('ValidationError', 'bad field') },
  });
  expect(output).toEqual({ status: 'failed', error: 'InvalidInput', cause: 'bad field' });
});

test('each retrier counts for itself', async () => {
  const policy = retry(
    { ErrorEquals: ['A'], MaxAttempts: 1, IntervalSeconds: 1 },
    { ErrorEquals: ['B'], MaxAttempts: 2, IntervalSeconds: 1, BackoffRate: 1 },
  );
  const errors = ['A', 'B', 'B', 'A'];
  const { output, calls } = await run(only(task(policy)), {
    agents: {
      A: (_, { calls: count }) => {
        throw failure(errors[count - 1]!);
      },
    },
  });
  expect(output).toMatchObject({ error: 'A' });
  expect(calls).toHaveLength(4);
});

test('a task without heartbeats fails, and each heartbeat restarts its timer', async () => {
  const workflow = only({
    Type: 'Task',
    Resource: 'arn:aws:states:::sqs:sendMessage.waitForTaskToken',
    Parameters: { 'token.$': '$$.Task.Token' },
    HeartbeatSeconds: 10,
    TimeoutSeconds: 100,
  });
  const resource = 'arn:aws:states:::sqs:sendMessage.waitForTaskToken';
  const silent = await run(workflow, { agents: { [resource]: () => null } });
  expect(silent.output).toMatchObject({ status: 'failed' });
  expect(silent.seconds).toBe(10);
});

test('a token completes its task once', async () => {
  const resource = 'arn:aws:states:::sqs:sendMessage.waitForTaskToken';
  const workflow = chain({
    S: { Type: 'Task', Resource: resource, Parameters: { 'token.$': '$$.Task.Token' } },
  });
  const { output, calls } = await run(workflow, {
    agents: { [resource]: () => ({ MessageId: 1 }) },
    onceStill: (actor, events) => {
      const scheduled = events.find((event) => event.type === 'task.scheduled');
      actor.send({ type: 'task.succeeded', token: 'made up', output: 'forged' });
      actor.send({ type: 'task.succeeded', token: scheduled!.token, output: 'done' });
      actor.send({ type: 'task.failed', token: scheduled!.token, error: 'late' });
    },
  });
  expect(output).toEqual({ status: 'succeeded', output: 'done' });
  expect(calls[0]!.input).toEqual({ token: expect.stringMatching(/^[\da-f-]{36}$/) });
});

test('tokens reach the items of a Map within a Map', async () => {
  const activity = 'arn:aws:states:eu-west-1:123456789012:activity:review';
  const item = chain({ T: { Type: 'Task', Resource: activity } });
  const inner = chain({ I: { Type: 'Map', ItemProcessor: item } });
  const workflow = only({ Type: 'Map', ItemProcessor: inner });
  const { output } = await run(workflow, {
    input: [['a', 'b'], ['c']],
    onceStill: (actor, events) => {
      for (const event of events) {
        if (event.type !== 'task.scheduled') continue;
        actor.send({
          type: 'task.succeeded',
          token: event.token,
          output: `${event.input as string}!`,
        });
      }
    },
  });
  expect(output).toEqual({ status: 'succeeded', output: [['a!', 'b!'], ['c!']] });
});

test('a workflow times out', async () => {
  const workflow = { ...only({ Type: 'Wait', Seconds: 100 }), TimeoutSeconds: 30 };
  const { output, seconds } = await run(workflow);
  expect(output).toMatchObject({ status: 'timedOut', error: 'States.Timeout' });
  expect(seconds).toBe(30);
});

test.for([
  ['States.ALL', { Parameters: { 'x.$': '$.nope' } }],
  ['States.Runtime', { Parameters: { 'x.$': '$.nope' } }],
  ['States.Runtime', { InputPath: '$.nope' }],
  ['States.Runtime', { ResultSelector: { 'x.$': '$.nope' } }],
  ['States.Runtime', { OutputPath: '$.nope' }],
] as const)('Amazon: nothing handles States.Runtime: %s, %j', async ([name, fields]) => {
  const resource = 'arn:aws:lambda:eu-west-1:123456789012:function:f';
  const state = {
    Type: 'Task',
    Resource: resource,
    ...fields,
    Retry: [{ ErrorEquals: [name] }],
    Catch: [{ ErrorEquals: [name], Next: 'H' }],
    End: true,
  };
  const { output, calls } = await run(chain({ S: state, H: pass() }), {
    agents: { [resource]: echo },
    input: {},
  });
  expect(output).toMatchObject({ status: 'failed', error: 'States.Runtime' });
  expect(calls.length).toBeLessThanOrEqual(1);
});

test('an integration that AWS waits for has a token, and only the answer completes it', async () => {
  const resource = 'arn:aws:states:::states:startExecution.sync:2';
  const { output, calls } = await run(
    only({ Type: 'Task', Resource: resource, Parameters: { 'token.$': '$$.Task.Token' } }),
    { agents: { [resource]: () => 'done' } },
  );
  expect(calls[0]!.input).toEqual({ token: expect.stringMatching(/^[\da-f-]{36}$/) });
  expect(output).toEqual({ status: 'succeeded', output: 'done' });
});

test('a timeout that is caught has an empty cause', async () => {
  const resource = 'arn:aws:states:::sqs:sendMessage.waitForTaskToken';
  const state = {
    Type: 'Task',
    Resource: resource,
    Parameters: { 'token.$': '$$.Task.Token' },
    TimeoutSeconds: 5,
    Catch: [{ ErrorEquals: ['States.Timeout'], Next: 'H' }],
    End: true,
  };
  const { output } = await run(chain({ S: state, H: pass() }), { agents: { [resource]: echo } });
  expect(output).toEqual({ status: 'succeeded', output: { Error: 'States.Timeout', Cause: '' } });
});

test.for(['States.ALL', 'States.TaskFailed', 'States.LimitReached'])(
  'a limit of the user is not tried again, and is caught by %s',
  async (name) => {
    const recovery = {
      ...retry({ ErrorEquals: [name] }),
      Catch: [{ ErrorEquals: [name], Next: 'H' }],
    };
    let asked = 0;
    const { output, seconds } = await run(chain({ S: task(recovery, { End: true }), H: pass() }), {
      ports: {
        runAgent: () => {
          asked += 1;
          throw new PortError('port/limit-reached', 'runAgent', 'The limit of calls is reached.');
        },
      },
    });
    const error = { Error: 'States.LimitReached', Cause: 'The limit of calls is reached.' };
    expect(output).toMatchObject({ status: 'succeeded', output: { error } });
    expect({ asked, seconds }).toEqual({ asked: 1, seconds: 0 });
  },
);

test('a call that the host has given up is a timeout', async () => {
  const recovery = { Catch: [{ ErrorEquals: ['States.Timeout'], Next: 'H' }] };
  const states = { S: task(recovery, { End: true }), H: pass() };
  const { output } = await run(chain(states), {
    ports: {
      runAgent: () => {
        throw new PortError('port/timed-out', 'runAgent', 'No answer within 20 ms.');
      },
    },
  });
  const error = { Error: 'States.Timeout', Cause: 'No answer within 20 ms.' };
  expect(output).toMatchObject({ status: 'succeeded', output: { error } });
});

const missing = '$.missing';

test.each<[string, JsonObject]>([
  ['Task', task({ InputPath: missing })],
  ['Task', task({ Parameters: { 'a.$': missing } })],
  ['Map', { Type: 'Map', ItemsPath: missing, ItemProcessor: chain({ Inner: pass() }), End: true }],
  [
    'Parallel',
    { Type: 'Parallel', InputPath: missing, Branches: [chain({ Inner: pass() })], End: true },
  ],
  ['Debate', { Type: 'Debate', Agents: ['A', 'B'], TopicPath: missing }],
  ['Approval', { Type: 'Approval', 'Prompt.$': missing }],
])('a %s without its data fails after its retries', async (_, state) => {
  const policy = {
    ErrorEquals: ['States.ALL'],
    MaxAttempts: 2,
    IntervalSeconds: 1,
    BackoffRate: 1,
  };
  const { output, events, seconds } = await run(only({ ...state, ...retry(policy) }), {});
  expect(output).toMatchObject({ status: 'failed' });
  expect(events.filter(({ type }) => type === 'task.retried').length).toBeLessThanOrEqual(2);
  expect(seconds).toBeLessThanOrEqual(2);
});

describe("errors of Amazon's interpreter, and who recovers from them", () => {
  const tooLarge = 'x'.repeat(262_144);
  const amazon = { options: { dialect: 'amazon' } } as const;
  const lambda = (more: JsonObject) => ({
    Type: 'Task',
    Resource: 'arn:aws:lambda:us-east-1:111122223333:function:A',
    ...more,
  });
  const names = ['States.ALL', 'States.TaskFailed'] as const;

  test.for([...names, 'States.DataLimitExceeded'])(
    'a result that is too large is retried and caught by %s, as in recorded runs',
    async (name) => {
      const policy = { ErrorEquals: [name], MaxAttempts: 2, IntervalSeconds: 1, BackoffRate: 1 };
      const Catch = [{ ErrorEquals: [name], Next: 'H' }];
      const workflow = chain({ S: lambda({ ...retry(policy), Catch, End: true }), H: pass() });
      const ports = { runAgent: () => ({ result: tooLarge }) };
      const { output, events } = await run(workflow, { ...amazon, ports });
      expect(events.filter(({ type }) => type === 'task.retried')).toHaveLength(2);
      const error = { Error: 'States.DataLimitExceeded' };
      expect(output).toMatchObject({ status: 'succeeded', output: error });
    },
  );

  test.for([...names, 'States.Runtime'])(
    'States.Runtime is neither retried nor caught by %s',
    async (name) => {
      const policy = { ErrorEquals: [name], MaxAttempts: 2, IntervalSeconds: 1 };
      const Catch = [{ ErrorEquals: [name], Next: 'H' }];
      const failing = { ...retry(policy), Catch, End: true };
      const runtime = { status: 'failed', error: 'States.Runtime' };
      for (const [runAgent, parameters] of [
        [() => ({ result: 'fine' }), { Parameters: { 'a.$': '$.missing' } }],
        [fails('States.Runtime'), {}],
      ] as const) {
        const workflow = chain({ S: lambda({ ...parameters, ...failing }), H: pass() });
        const { output, events } = await run(workflow, { ...amazon, ports: { runAgent } });
        expect(output).toMatchObject(runtime);
        expect(events.filter(({ type }) => type === 'task.retried')).toEqual([]);
      }
    },
  );

  test('the agent dialect recovers from States.Runtime, as from every other error', async () => {
    const Catch = [{ ErrorEquals: ['States.ALL'], ResultPath: '$', Next: 'H' }];
    const workflow = chain({ S: task({ Catch, End: true }), H: pass() });
    const agents = { A: fails('States.Runtime') };
    const { output } = await run(workflow, { ...agentDialect, agents });
    expect(output).toMatchObject({ status: 'succeeded', output: { Error: 'States.Runtime' } });
  });
});

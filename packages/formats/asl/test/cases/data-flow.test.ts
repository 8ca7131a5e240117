import { expect, test } from 'vitest';
import { inAll } from '../../../../../.config/scaled.ts';
import { agentDialect, chain, echo, only, outputOf, pass, run, task } from '../run.ts';

/** Section G of the specification of Agent State Language, by number. */

test('G1 the output of a Pass is its Result', async () => {
  const workflow = only(pass({ Result: { message: 'Hello' } }));
  expect(await outputOf(workflow, { input: { input: 'data' } })).toEqual({ message: 'Hello' });
});

test('G2 Parameters are a template', async () => {
  const workflow = only(pass({ Parameters: { 'name.$': '$.user.name', greeting: 'Hello' } }));
  const input = { user: { name: 'John' } };
  expect(await outputOf(workflow, { input })).toEqual({ name: 'John', greeting: 'Hello' });
});

test('G3 ResultPath puts the result into the input', async () => {
  const workflow = only(pass({ Result: { value: 42 }, ResultPath: '$.computed' }));
  const output = await outputOf(workflow, { input: { original: 'data' } });
  expect(output).toEqual({ original: 'data', computed: { value: 42 } });
});

test('G4 InputPath selects', async () => {
  const workflow = only(pass({ InputPath: '$.nested.data' }));
  const input = { nested: { data: { value: 'test' } } };
  expect(await outputOf(workflow, { input })).toEqual({ value: 'test' });
});

test('G5 a Pass with nothing changes nothing', async () => {
  expect(await outputOf(only(pass()), { input: { a: [1] } })).toEqual({ a: [1] });
});

test('G6 the result of a Task replaces its input', async () => {
  const output = await outputOf(only(task()), {
    input: { keep: 1 },
    agents: { A: () => ({ r: 1 }) },
  });
  expect(output).toEqual({ r: 1 });
});

test('G7 the result of a Task goes where ResultPath says', async () => {
  const workflow = only(task({ ResultPath: '$.result' }));
  const agents = { A: () => ({ value: 42 }) };
  const output = await outputOf(workflow, { input: { existing: 'data' }, agents });
  expect(output).toEqual({ existing: 'data', result: { value: 42 } });
});

test('G8 an agent sees what InputPath selects', async () => {
  const input = { user: { name: 'Alice' }, other: 'data' };
  const { calls } = await run(only(task({ InputPath: '$.user' })), { input, agents: { A: echo } });
  expect(calls.map((call) => call.input)).toEqual([{ name: 'Alice' }]);
});

test('G9 ResultPath writes into the whole input', async () => {
  const workflow = only(task({ InputPath: '$.u', ResultPath: '$.r' }));
  const output = await outputOf(workflow, {
    input: { u: { n: 1 }, o: 2 },
    agents: { A: () => ({ r: 1 }) },
  });
  expect(output).toEqual({ u: { n: 1 }, o: 2, r: { r: 1 } });
});

test('G10 OutputPath selects from the result', async () => {
  const workflow = only(task({ InputPath: '$.userData', OutputPath: '$.processed' }));
  const output = await outputOf(workflow, {
    input: { userData: { id: 7 } },
    agents: { A: (input) => ({ processed: input, extra: 'm' }) },
  });
  expect(output).toEqual({ id: 7 });
});

test('G11 ResultPath creates missing objects', async () => {
  const workflow = only(pass({ Result: 'John', ResultPath: '$.user.profile.name' }));
  expect(await outputOf(workflow)).toEqual({ user: { profile: { name: 'John' } } });
});

test('G12 a ResultPath of null keeps the input', async () => {
  const workflow = only(task({ ResultPath: null }));
  const output = await outputOf(workflow, { input: { keep: 1 }, agents: { A: () => ({ r: 1 }) } });
  expect(output).toEqual({ keep: 1 });
});

test('G13 a path to a text gives the text', async () => {
  const workflow = only(pass({ OutputPath: '$.user.name' }));
  expect(await outputOf(workflow, { input: { user: { name: 'Alice' } } })).toBe('Alice');
});

test('G14 a path without a value fails with its own error, which can be caught', async () => {
  const parameters = { Parameters: { 'm.$': '$.nope' } };
  const { output } = await run(only(pass(parameters)), agentDialect);
  expect(output).toMatchObject({ status: 'failed', error: 'States.ParameterPathFailure' });
  const catches = {
    Catch: [{ ErrorEquals: ['States.ParameterPathFailure'], ResultPath: '$.e', Next: 'H' }],
  };
  const caught = chain({ S: task(parameters, catches, { End: true }), H: pass() });
  expect(await outputOf(caught, { agents: { A: echo } })).toMatchObject({
    e: { Error: 'States.ParameterPathFailure' },
  });
});

test('G15 an invalid path is rejected when compiling', async () => {
  await expect(run(only(pass({ Parameters: { 'm.$': 'nope' } })), agentDialect)).rejects.toThrow(
    /does not compile/,
  );
});

test('G16 templates reach into objects and lists, and leave plain texts alone', async () => {
  const parameters = { n: { 'x.$': '$.a', y: [{ 'z.$': '$.a' }, '$.a', 1] } };
  const output = await outputOf(only(pass({ Parameters: parameters })), { input: { a: 1 } });
  expect(output).toEqual({ n: { x: 1, y: [{ z: 1 }, '$.a', 1] } });
});

test('G17 a Result is literal, and wins over Parameters', async () => {
  const written = { 'r.$': '$.a' };
  expect(await outputOf(only(pass({ Result: written })), { input: { a: 1 } })).toEqual(written);
  const both = only(pass({ Result: { r: 1 }, Parameters: { p: 1 } }));
  expect(await outputOf(both)).toEqual({ r: 1 });
});

test('G18 ResultSelector sees only the result', async () => {
  const agents = { A: () => ({ status: 200 }) };
  const input = { status: 'input', keep: true };
  const selector = { ResultSelector: { 'code.$': '$.status' }, ResultPath: '$.r' };
  expect(await outputOf(only(task(selector)), { input, agents })).toEqual({
    ...input,
    r: { code: 200 },
  });
  const reaching = only(task({ ResultSelector: { 'in.$': '$.keep' } }));
  const { output } = await run(reaching, { input, agents });
  expect(output).toMatchObject({ status: 'failed', error: 'States.ParameterPathFailure' });
});

test('G19 later states read the output of earlier ones', async () => {
  const workflow = chain({
    One: task({ ResultPath: '$.result1' }),
    Two: pass({ Result: { step: 2 }, ResultPath: '$.result2' }),
    Three: pass({ Parameters: { 'combined.$': '$.result1.step' } }),
  });
  expect(await outputOf(workflow, { agents: { A: () => ({ step: 1 }) } })).toEqual({ combined: 1 });
});

test('G20 the usage of agents is added up', async () => {
  const agents = { A: () => ({ _tokens: 1000, _cost: 0.05 }) };
  const { output } = await run(chain({ A: task(), B: task(), C: task() }), { agents });
  expect(output?.usage?.tokens).toBe(3000);
  expect(output?.usage?.cost).toBeCloseTo(0.15);
});

test('the usage of branches, items and failed runs is added up too', async () => {
  const agents = { A: () => ({ _tokens: 1 }), F: () => Promise.reject(new Error('no')) };
  const branch = { StartAt: 'T', States: { T: task({ End: true }) } };
  const workflow = chain({
    P: { Type: 'Parallel', Branches: [branch, branch], ResultPath: null },
    M: { Type: 'Map', ItemsPath: '$.items', Iterator: branch },
    F: task({ Agent: 'F' }),
  });
  const { output } = await run(workflow, { input: { items: [1, 2, 3] }, agents });
  expect(output).toMatchObject({ status: 'failed', usage: { tokens: 5, cost: 0 } });
});

test('G23 the context object names the state and the workflow', async () => {
  const parameters = { 'state.$': '$$.State.Name', 'workflow.$': '$$.Execution.Name' };
  const workflow = { ...chain({ C: pass({ Parameters: parameters }) }), Comment: 'Nightly report' };
  expect(await outputOf(workflow, agentDialect)).toEqual({
    state: 'C',
    workflow: 'Nightly report',
  });
});

test('G92 a loop ends when its condition does', async () => {
  const workflow = {
    StartAt: 'Count',
    States: {
      Count: pass({
        Parameters: { 'n.$': 'States.MathAdd($.n, 1)' },
        Next: 'Check',
      }),
      Check: {
        Type: 'Choice',
        Choices: [{ Variable: '$.n', NumericLessThan: 3, Next: 'Count' }],
        Default: 'Done',
      },
      Done: { Type: 'Succeed' },
    },
  };
  const { output, events } = await run(workflow, { input: { n: 0 } });
  expect(output).toEqual({ status: 'succeeded', output: { n: 3 } });
  const entered = events
    .filter(({ type }) => type === 'state.entered')
    .map((event) => 'state' in event && event.state);
  expect(entered.filter((state) => state === 'Count')).toHaveLength(3);
});

test.for(
  [true, ...inAll(false)].flatMap((fuse) =>
    ['Choice', 'Pass', 'inside a Map'].map((loop) => ({ fuse, loop })),
  ),
)('a state that leads to itself is stopped: %j', async ({ fuse, loop }) => {
  const states = {
    Again: loop === 'Pass' ? pass({ Next: 'Again' }) : choiceTo('Again'),
    E: pass({ End: true }),
  };
  const machine = { StartAt: 'C', States: { C: choiceTo('Again'), ...states } };
  const workflow =
    loop === 'inside a Map'
      ? { StartAt: 'M', States: { M: { Type: 'Map', ItemProcessor: machine, End: true } } }
      : machine;
  const { output } = await run(workflow, { input: loop === 'inside a Map' ? [{}] : {}, fuse });
  expect(output).toMatchObject({ status: 'failed', error: 'States.StepLimitExceeded' });
});

test.for([{ fuse: true }, { fuse: false }])(
  'a loop without an end is stopped: %j',
  async ({ fuse }) => {
    const workflow = { StartAt: 'A', States: { A: pass({ Next: 'B' }), B: pass({ Next: 'A' }) } };
    const { output } = await run(
      { StartAt: 'C', States: { ...workflow.States, C: choiceTo('A'), E: pass({ End: true }) } },
      { fuse },
    );
    expect(output).toMatchObject({ status: 'failed', error: 'States.StepLimitExceeded' });
  },
);

function choiceTo(next: string) {
  return {
    Type: 'Choice',
    Choices: [{ Variable: '$.never', IsPresent: true, Next: 'E' }],
    Default: next,
  };
}

import { check, type Json, type JsonObject } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { asl, testState } from '../../src/index.ts';
import { chain, only, pass, run, task } from '../run.ts';

/** `missing: null`: a JSONPath that leads to nothing has the value null. docs/formats/asl.md#missing-paths */

const input = { a: { b: 1 }, list: [1, 2], text: 'x' };

/** Paths that lead to nothing in the input above. */
const unset = ['$.nope', '$.a.nope', '$.a.b.nope', '$.text.nope', '$.list[9]', '$$.Nope'];

const agent = { Type: 'Task', Agent: 'Echo', ResultPath: '$.r' };

/** States that read a path, and the field `r` of their output when it leads to nothing. */
const readers: Readonly<Record<string, (path: string) => readonly [JsonObject, Json?]>> = {
  Parameters: (path) => [
    { ...agent, Parameters: { 'x.$': path, y: 1 } },
    { x: null, y: 1 },
  ],
  'Parameters, nested': (path) => [
    { ...agent, Parameters: { list: [{ 'x.$': path }] } },
    { list: [{ x: null }] },
  ],
  InputPath: (path) => [{ ...agent, InputPath: path }, null],
  ResultSelector: (path) => [{ ...agent, ResultSelector: { 'x.$': path } }, { x: null }],
  'an argument': (path) => [
    { ...agent, Parameters: { 'x.$': `States.Array(${path}, 'y')` } },
    { x: [null, 'y'] },
  ],
  'a summand': (path) => [
    { ...agent, Parameters: { 'x.$': `States.MathAdd(${path}, 1)` } },
    { x: 1 },
  ],
  ItemSelector: (path) => [
    {
      Type: 'Map',
      ItemsPath: '$.list',
      ItemSelector: { 'x.$': path },
      Iterator: only(pass()),
      ResultPath: '$.r',
    },
    [{ x: null }, { x: null }],
  ],
  Topic: (path) => [
    { Type: 'Debate', Agents: ['Echo', 'Echo2'], Rounds: 1, 'Topic.$': path, ResultPath: '$.d' },
  ],
};

const agents = { Echo: (given: Json) => given, Echo2: (given: Json) => given };

const cases = Object.entries(readers).flatMap(([field, read]) =>
  unset.map((path) => {
    const [state, r] = read(path);
    return { field, path, state, r };
  }),
);

test.each(cases)('$field reads $path as null', async ({ state, r }) => {
  const options = { dialect: 'agent', missing: 'null' };
  const { output } = await run(only(state), { input, agents, options });
  expect(output).toMatchObject({ status: 'succeeded', output: r === undefined ? {} : { r } });
});

test.each(cases)('$field fails on $path by default', async ({ path, state }) => {
  const { output } = await run(only(state), { input, agents, options: { dialect: 'agent' } });
  expect(output).toMatchObject({ status: 'failed', error: 'States.ParameterPathFailure' });
  expect(output).toMatchObject({ cause: expect.stringContaining(`'${path}'`) });
});

test('an OutputPath that leads to nothing gives null to the next state', async () => {
  const states = chain({ One: pass({ OutputPath: '$.nope' }), Two: task({ Agent: 'Echo' }) });
  const { output } = await run(states, { input, agents, options: { missing: 'null' } });
  expect(output).toMatchObject({ status: 'succeeded', output: null });
});

const rules: readonly (readonly [JsonObject, boolean])[] = [
  [{ IsPresent: true }, false],
  [{ IsPresent: false }, true],
  [{ IsNull: true }, true],
  [{ IsNull: false }, false],
  [{ IsString: false }, true],
  [{ StringEquals: '' }, false],
  [{ NumericEquals: 0 }, false],
  [{ NumericLessThan: 1 }, false],
  [{ BooleanEquals: false }, false],
  [{ StringMatches: '*' }, false],
  [{ StringEqualsPath: '$.alsoNope' }, false],
];

test.each(rules)('of a path to nothing, %j is %s', async (rule, holds) => {
  const choice = { Type: 'Choice', Choices: [{ Variable: '$.nope', ...rule, Next: 'Yes' }] };
  const definition = {
    StartAt: 'C',
    States: {
      C: { ...choice, Default: 'No' },
      Yes: { Type: 'Pass', Result: true, End: true },
      No: { Type: 'Pass', Result: false, End: true },
    },
  };
  const { output } = await run(definition, { input, options: { missing: 'null' } });
  expect(output).toMatchObject({ output: holds });
});

test('the metadata of a workflow may state the rule, and the option replaces it', async () => {
  const state = only(pass({ Parameters: { 'x.$': '$.nope' } }));
  const definition = { ...state, Metadata: { MissingPaths: 'null' } };
  const said = await run(definition, { input });
  expect(said.output).toMatchObject({ output: { x: null } });
  const replaced = await run(definition, { input, options: { missing: 'fail' } });
  expect(replaced.output).toMatchObject({ error: 'States.ParameterPathFailure' });
});

test('branches, items and templates have the rule of their workflow', async () => {
  const reads = only(pass({ Parameters: { 'x.$': '$.nope' } }));
  const definition = {
    Metadata: { MissingPaths: 'null' },
    Imports: { t: './t.asl.json' },
    ...chain({
      P: { Type: 'Parallel', Branches: [reads], ResultPath: '$.p' },
      M: { Type: 'Map', ItemsPath: '$.list', Iterator: reads, ResultPath: '$.m' },
      I: { Type: 'Include', Template: 't', ResultPath: '$.i' },
    }),
  };
  const { output } = await run(definition, {
    input: { list: [{}] },
    options: { imports: { 't.asl.json': reads } },
  });
  const x = { x: null };
  expect(output).toMatchObject({ output: { p: [x], m: [x], i: x } });
});

/** A guess about these would lose data, wait for no reason or mix up what belongs to different people. */
const stillFailing: readonly (readonly [string, JsonObject, string])[] = [
  ['a list', { Type: 'Map', ItemsPath: '$.nope', Iterator: only(pass()) }, 'States.Runtime'],
  ['a duration', { Type: 'Wait', SecondsPath: '$.nope' }, 'States.Runtime'],
  ['a moment', { Type: 'Wait', TimestampPath: '$.nope' }, 'States.Runtime'],
  ['a limit', { ...agent, TimeoutSecondsPath: '$.nope' }, 'States.Runtime'],
  ['a variable', pass({ Parameters: { 'x.$': '$nope' } }), 'States.ParameterPathFailure'],
  [
    'the key of a cache',
    { ...agent, Cache: { Enabled: true, 'Key.$': '$.nope' } },
    'States.ParameterPathFailure',
  ],
  [
    'the namespace of a memory',
    { ...agent, Memory: { Read: ['k'], 'Namespace.$': '$.nope' } },
    'States.ParameterPathFailure',
  ],
];

test.each(stillFailing)('%s is not null', async (_, state, error) => {
  const { output } = await run(only(state), {
    input,
    agents,
    options: { dialect: 'agent', missing: 'null' },
  });
  expect(output).toMatchObject({ status: 'failed', error });
});

test('text that is no path is an error', async () => {
  const state = pass({ Parameters: { 'x.$': '$.nope.' } });
  const options = { missing: 'null' };
  await expect(run(only(state), { input, options })).rejects.toThrow('does not compile');
});

test('a Fail without the error that it reads fails without it', async () => {
  const fail = { Type: 'Fail', 'Error.$': '$.nope', 'Cause.$': '$.text' };
  const { output } = await run(only(fail), { input, options: { missing: 'null' } });
  expect(output).toMatchObject({ status: 'failed', error: null, cause: 'x' });
});

test('a memory writes the input where the output lacks the value', async () => {
  const remember = { Write: { Key: 'k', 'Value.$': '$.text' } };
  const { output, events } = await run(only({ ...agent, ResultPath: '$', Memory: remember }), {
    input,
    agents: { Echo: () => ({ other: 1 }) },
    options: { missing: 'null' },
  });
  expect(output).toMatchObject({ status: 'succeeded' });
  expect(events).not.toContainEqual(expect.objectContaining({ value: null }));
});

test('workflows of Amazon cannot have the rule', () => {
  const resource = only({ Type: 'Task', Resource: 'arn:aws:lambda:us-east-1:1:function:f' });
  const found = check(JSON.stringify(resource), { formats: [asl], options: { missing: 'null' } });
  expect(found.diagnostics.map(({ code }) => code)).toContain('asl/missing-in-amazon');
  const wrong = { ...only(pass()), Metadata: { MissingPaths: 'zero' } };
  const shape = check(JSON.stringify(wrong), { formats: [asl] });
  expect(shape.diagnostics.map(({ severity }) => severity)).toContain('error');
});

test('a test of a single state has the rule of its workflow, or its own', () => {
  const state = pass({ Parameters: { 'x.$': '$.nope' }, End: true });
  const definition = { StartAt: 'S', States: { S: state }, Metadata: { MissingPaths: 'null' } };
  const x = { x: null };
  expect(testState({ definition, stateName: 'S' }).output).toEqual(x);
  expect(testState({ definition: state, missing: 'null' }).output).toEqual(x);
  expect(testState({ definition: state, dialect: 'agent' }).error).toBe(
    'States.ParameterPathFailure',
  );
});

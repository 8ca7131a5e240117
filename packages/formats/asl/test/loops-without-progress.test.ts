import { check, type JsonObject } from '@dramaturg/compiler';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { asl } from '../src/index.ts';
import { run } from './run.ts';
import { runsAll } from '../../../../.config/scaled.ts';

/** The states and the example of each loop that is reported. */
function loopsIn(definition: object): { readonly states: string; readonly example: JsonObject }[] {
  const { diagnostics } = check(JSON.stringify(definition), { formats: [asl], format: 'asl' });
  return diagnostics
    .filter(({ code }) => code === 'asl/no-progress')
    .map(({ message, hint }) => ({
      states: /round in (.*) without an end/.exec(message)![1]!,
      example: JSON.parse(/the input (.*) does\./.exec(hint!)![1]!) as JsonObject,
    }));
}

const done = { Type: 'Succeed' };
const ready = (next: string, otherwise: string, more: object = {}) => ({
  Type: 'Choice',
  Choices: [{ Variable: '$.ready', BooleanEquals: true, Next: next, ...more }],
  Default: otherwise,
});
const machine = (States: object, more: object = {}) => ({ StartAt: 'A', States, ...more });

test('a Choice that leads back by a Pass decides the same again', () => {
  const pass = { Type: 'Pass', Next: 'A' };
  expect(loopsIn(machine({ A: ready('Done', 'B'), B: pass, Done: done }))).toEqual([
    { states: '"A" and "B"', example: { ready: false } },
  ]);
});

test('a Pass that leads to itself needs no Choice, and without any end another finding says so', () => {
  const round = { B: { Type: 'Pass', Next: 'C' }, C: { Type: 'Pass', Next: 'B' } };
  expect(loopsIn(machine({ A: ready('Done', 'B'), Done: done, ...round }))).toEqual([
    { states: '"B" and "C"', example: { ready: false } },
  ]);
  expect(loopsIn({ StartAt: 'B', States: round })).toEqual([]);
});

test('so does one that waits, unless a timeout ends it', () => {
  const States = { A: ready('Done', 'B'), B: { Type: 'Wait', Seconds: 5, Next: 'A' }, Done: done };
  expect(loopsIn(machine(States))).toMatchObject([{ states: '"A" and "B"' }]);
  expect(loopsIn(machine(States, { TimeoutSeconds: 60 }))).toEqual([]);
});

test.each<[name: string, states: object]>([
  ['an agent is asked in the loop', { B: { Type: 'Task', Agent: 'Poll', Next: 'A' } }],
  ['a Pass sets a result', { B: { Type: 'Pass', Result: { ready: true }, Next: 'A' } }],
  ['a Pass computes', { B: { Type: 'Pass', Parameters: { 'n.$': '$.n' }, Next: 'A' } }],
  ['somebody decides', { B: { Type: 'Approval', Prompt: 'Again?', Next: 'A' } }],
  ['the loop is left at the second Choice', { B: ready('A', 'Done') }],
  ['it waits until a time in the data', { B: { Type: 'Wait', TimestampPath: '$.at', Next: 'A' } }],
])('no loop is reported when %s', (_, states) => {
  expect(loopsIn(machine({ A: ready('Done', 'B'), Done: done, ...states }))).toEqual([]);
});

test('a loop that an earlier Choice keeps its data from is not reported', () => {
  const States = {
    A: ready('B', 'Done'),
    B: ready('Done', 'C'),
    C: { Type: 'Pass', Next: 'B' },
    Done: done,
  };
  expect(loopsIn(machine(States))).toEqual([]);
});

test('the time may decide, and a condition in JSONata is not judged', () => {
  const late = [{ Variable: '$$.State.EnteredTime', TimestampGreaterThan: '2030-01-01T00:00:00Z' }];
  const choice = {
    ...ready('Done', 'A'),
    Choices: late.map((rule) => ({ ...rule, Next: 'Done' })),
  };
  expect(loopsIn(machine({ A: choice, Done: done }))).toEqual([]);
  const jsonata = {
    Type: 'Choice',
    QueryLanguage: 'JSONata',
    Choices: [{ Condition: '{% $random() > 0.5 %}', Next: 'Done' }],
    Default: 'A',
  };
  expect(loopsIn(machine({ A: jsonata, Done: done }))).toEqual([]);
});

test('an agent before the loop may answer with what goes round in it', () => {
  const States = {
    A: { Type: 'Task', Agent: 'Look', ResultPath: '$.seen', Next: 'B' },
    B: {
      Type: 'Choice',
      Choices: [{ Variable: '$.seen.count', NumericGreaterThan: 3, Next: 'Done' }],
      Default: 'B',
    },
    Done: done,
  };
  expect(loopsIn(machine(States))).toMatchObject([{ states: '"B"', example: { seen: {} } }]);
});

const names = ['A', 'B', 'C', 'D', 'E'];
const target = fc.constantFrom(...names, 'Done');
const rule = fc.record({
  Variable: fc.constantFrom('$.a', '$.b'),
  NumericLessThan: fc.constantFrom(0, 1, 2),
  Next: target,
});
const state = fc.oneof(
  target.map((Next) => ({ Type: 'Pass', Next })),
  target.map((Next) => ({ Type: 'Task', Agent: 'Echo', ResultPath: '$.c', Next })),
  fc
    .record({ Choices: fc.array(rule, { minLength: 1, maxLength: 2 }), Default: target })
    .map((fields) => ({ Type: 'Choice', ...fields })),
);

test('of generated workflows exactly those with a reported loop go round until the limit of steps', async () => {
  const machines = fc.sample(fc.tuple(...names.map(() => state)), {
    seed: Number(process.env['TEST_SEED'] ?? 24),
    numRuns: 3000,
  });
  const [loops, endings] = runsAll ? [3, 8] : [1, 2];
  const reported: boolean[] = [];
  const others: boolean[] = [];
  for (const states of machines) {
    const definition = machine({
      ...Object.fromEntries(states.map((each, index) => [names[index], each])),
      Done: done,
    }) as JsonObject;
    const { chart } = check(JSON.stringify(definition), { formats: [asl], format: 'asl' });
    if (!chart) continue;
    const [loop] = loopsIn(definition);
    // Runs that go round take long.
    if (loop && reported.length < loops) reported.push(await goesRound(definition, loop.example));
    if (reported.length === loops && others.length === endings) break;
    if (loop || others.length === endings) continue;
    const inputs = [-1, 0, 1, 2].flatMap((a) => [-1, 0, 1, 2].map((b) => ({ a, b })));
    const runs = await Promise.all(inputs.map((input) => goesRound(definition, input)));
    others.push(runs.includes(true));
  }
  expect(reported).toEqual(Array.from({ length: loops }, () => true));
  expect(others).toEqual(Array.from({ length: endings }, () => false));
});

/** Whether a run reaches the limit of steps. */
async function goesRound(definition: JsonObject, input: JsonObject): Promise<boolean> {
  let calls = 0;
  const Echo = () => {
    calls += 1;
    // A loop with an agent is not without progress.
    if (calls > 10) throw new Error('It is asked again and again.');
    return 'echo';
  };
  const options = { dialect: 'agent' };
  const { output } = await run(definition, { input, agents: { Echo }, options });
  return Object(output)['error'] === 'States.StepLimitExceeded';
}

import { check, type JsonObject } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { asl } from '../../src/index.ts';

/** What `check` says about a state, in a workflow of its own. */
function findings(state: JsonObject): string[] {
  const definition = {
    StartAt: 'A',
    States: { A: { ...state, End: true }, ...(state['Catch'] ? { B: { Type: 'Succeed' } } : {}) },
  };
  const { diagnostics } = check(JSON.stringify(definition), { formats: [asl] });
  return diagnostics.map(({ code, path }) => `${code} ${path.slice(2).join('.')}`);
}

const Resource = 'arn:aws:states:::lambda:invoke';
const task = { Type: 'Task', Resource, QueryLanguage: 'JSONata' };
const pass = { Type: 'Pass', QueryLanguage: 'JSONata' };
const branch = { StartAt: 'P', States: { P: { Type: 'Pass', End: true } } };
const catcher = { ErrorEquals: ['States.ALL'], Next: 'B' };

test.for<[JsonObject, string?]>([
  [{ ...task, Output: '{% $states.result %}' }],
  [{ ...task, Output: { deep: ['{% $states.result.Payload %}'] } }],
  [{ ...task, Assign: { a: '{% $count($states.result) %}' } }],
  [
    {
      Type: 'Parallel',
      QueryLanguage: 'JSONata',
      Branches: [branch],
      Output: '{% $states.result[0] %}',
    },
  ],
  [{ ...task, Catch: [{ ...catcher, Output: '{% $states.errorOutput.Cause %}' }] }],
  [{ ...task, Catch: [{ ...catcher, Assign: { e: '{% $states.errorOutput %}' } }] }],
  [{ ...pass, Output: '{% "$states.result" %}' }],
  [{ ...task, Arguments: '{% $states.result %}' }, 'Arguments'],
  [
    { ...task, Arguments: { a: '{% $map([1], function($n) { $states.result.a }) %}' } },
    'Arguments.a',
  ],
  [{ ...task, TimeoutSeconds: '{% $states.result %}' }, 'TimeoutSeconds'],
  [{ ...task, Output: '{% $states.errorOutput %}' }, 'Output'],
  [{ ...task, Catch: [{ ...catcher, Output: '{% $states.result %}' }] }, 'Catch.0.Output'],
  [{ ...pass, Output: '{% $states.result %}' }, 'Output'],
  [{ ...pass, Assign: { a: '{% $states.errorOutput %}' } }, 'Assign.a'],
])('%j reads what is not there: %s', ([state, place]) => {
  expect(findings(state)).toEqual(place === undefined ? [] : [`asl/unavailable-data ${place}`]);
});

test.for<[string, boolean]>([
  ['phone', false],
  ['order.id', false],
  ['$sum(prices)', false],
  ['[$states.input, rest]', false],
  ['$map([1], function($n){ factor * $n })', false],
  ['$$', false],
  ['$', false],
  ['$.order', false],
  ['[1, 2][$ > 1]', true],
  ['$states.input.list.($ + 1)', true],
  ['$states.input.list[id = $$.id]', false],
  ['$states.input.(a + b)', true],
  ['$states.input.list[x > 1]^(y){z: $sum(w)}', true],
  ['[{"a": 1}].a', true],
  ['$states.input ~> |a|{"b": c}|', true],
  ['$filter($states.input, function($one){ $one.a })', true],
])('%s has something to read from: %s', ([expression, isFine]) => {
  expect(findings({ ...pass, Output: `{% ${expression} %}` })).toEqual(
    isFine ? [] : ['asl/unavailable-data Output'],
  );
});

test('a misspelt field or type is the only finding', () => {
  expect(findings({ ...task, Outptu: '{% $states.result %}' })).toEqual([
    'asl/unsupported-field Outptu',
  ]);
  expect(findings({ ...task, Type: 'Taks', Output: '{% $states.result %}' })).toEqual([
    'asl/unknown-type Type',
  ]);
});

test.for<[JsonObject, string?]>([
  [{ Type: 'Wait', Seconds: '{% 1 %}' }, 'Seconds'],
  [{ Type: 'Task', Resource, TimeoutSeconds: '{% 1 %}' }, 'TimeoutSeconds'],
  [{ Type: 'Map', ItemProcessor: branch, MaxConcurrency: '{% 1 %}' }, 'MaxConcurrency'],
  [{ Type: 'Wait', QueryLanguage: 'JSONata', Seconds: '{% 1 %}' }],
  [{ Type: 'Wait', SecondsPath: '$.a' }],
])('%j has an expression instead of a number: %s', ([state, place]) => {
  expect(findings(state)).toEqual(
    place === undefined ? [] : [`asl/expression-in-jsonpath ${place}`],
  );
});

test.for<[JsonObject, string?]>([
  [{ ...task, Retry: [{ ErrorEquals: ['A'], MaxAttempts: '{% 3 %}' }] }, 'Retry.0.MaxAttempts'],
  [{ ...task, Retry: [{ ErrorEquals: ['A'], BackoffRate: '{% 2 %}' }] }, 'Retry.0.BackoffRate'],
  [
    { ...task, Retry: [{ ErrorEquals: ['A'], MaxDelaySeconds: 31_622_400 }] },
    'Retry.0.MaxDelaySeconds',
  ],
  [{ ...task, Retry: [{ ErrorEquals: ['A'], MaxDelaySeconds: 31_622_399 }] }],
])('%j has a value that AWS refuses: %s', ([state, place]) => {
  expect(findings(state)).toEqual(place === undefined ? [] : [`shape/wrong-value ${place}`]);
});

import { check, type Json, type JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { asl } from '../../src/index.ts';
import { chain } from '../run.ts';

/** The findings of a workflow about paths that nobody can have set. */
function found(definition: JsonObject, options: JsonObject = {}): readonly string[] {
  const { diagnostics } = check(JSON.stringify(definition), {
    formats: [asl],
    format: 'asl',
    options,
  });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return diagnostics
    .filter(({ code }) => /^asl\/(?:unset-|not-always-set)/.test(code))
    .map(({ code, path }) => `${code.slice('asl/'.length)} ${path.slice(1).join('.')}`);
}

const Resource = 'arn:aws:lambda:eu-west-1:123456789012:function:f';
const task = { Type: 'Task', Resource };
const known = { Type: 'Pass', Result: { order: { id: 1, lines: [{ sku: 'a' }] }, text: 'x' } };
const read = (path: string): JsonObject => ({ Type: 'Pass', Parameters: { 'x.$': path } });
const jsonata = { Type: 'Pass', QueryLanguage: 'JSONata' };
const seen = (expression: string): JsonObject => ({
  ...jsonata,
  Output: { x: `{% ${expression} %}` },
});
const at = 'Read.Parameters.x.$';

describe('data that a Pass makes', () => {
  test.for<[string, boolean]>([
    ['$.order.id', true],
    ['$.order', true],
    ['$.order.lines[0].sku', true],
    ['$.order.lines[1].sku', false],
    ['$.order.lines[0].price', false],
    ['$.order.customer', false],
    ['$.orders', false],
    ['$.text.length', false],
    ['$[0]', false],
    ["$['order']['id']", true],
    ['$.orders[*].id', true],
    ['$..customer', true],
    ["States.Format('{}', $.orders)", false],
    ["States.Format('{}', States.ArrayLength($.order.lines))", true],
    ['States.ArrayLength($.lines)', false],
  ])('%s', ([path, isThere]) => {
    const workflow = chain({ Known: known, Read: read(path) });
    expect(found(workflow)).toEqual(isThere ? [] : [`unset-path ${at}`]);
  });

  test('the finding names the way, what is there, and what to do', () => {
    const { diagnostics } = check(
      JSON.stringify(
        chain({
          Start: { Type: 'Pass' },
          Fetch: { ...task, ResultSelector: { 'a.$': '$.a', b: 1 } },
          Check: read('$.order.id'),
        }),
      ),
      { formats: [asl] },
    );
    expect(diagnostics).toMatchObject([
      {
        code: 'asl/unset-path',
        severity: 'warning',
        message: 'No state before can have set "$.order.id": here "$" has only "a" and "b".',
        hint: 'On the way "Start" → "Fetch" → "Check", it is what "ResultSelector" of "Fetch" makes. Read what is there, or give "Fetch" a "ResultPath" that keeps its input.',
        related: [
          { path: ['States', 'Fetch', 'ResultSelector'], message: '"Fetch" makes the data here.' },
        ],
      },
    ]);
  });

  test('several reads of one absent field are one finding', () => {
    const workflow = chain({
      Known: known,
      Read: { Type: 'Pass', Parameters: { 'x.$': '$.orders.id', 'y.$': '$.orders.lines' } },
      Again: { ...read('$.orders'), InputPath: '$.x' },
    });
    expect(found(workflow)).toEqual([`unset-path ${at}`]);
  });
});

describe('what may be anything', () => {
  test.for<[string, JsonObject]>([
    ['the input', { First: { Type: 'Pass' } }],
    ['the result of a task', { First: task }],
    ['the input with a result in it', { First: { ...known, ResultPath: '$.known' } }],
    [
      'a part of a result',
      {
        First: { ...task, ResultSelector: { 'a.$': '$.a' } },
        Next: { Type: 'Pass', InputPath: '$.a' },
      },
    ],
    [
      'JSON in a text',
      {
        First: { Type: 'Pass', Parameters: { 'a.$': "States.StringToJson('{}')" } },
        Next: { Type: 'Pass', InputPath: '$.a' },
      },
    ],
    ['an expression', { First: { ...jsonata, Output: '{% $merge([$states.input, {}]) %}' } }],
  ])('%s', ([, states]) => {
    expect(
      found(chain({ ...(states as Record<string, JsonObject>), Read: read('$.a.b') })),
    ).toEqual([]);
  });

  test('a result in the input is known, and the rest is not', () => {
    const states = { Known: { ...known, ResultPath: '$.known.deep' } };
    expect(found(chain({ ...states, Read: read('$.other.id') }))).toEqual([]);
    expect(found(chain({ ...states, Read: read('$.known.other') }))).toEqual([]);
    expect(found(chain({ ...states, Read: read('$.known.deep.order.id') }))).toEqual([]);
    expect(found(chain({ ...states, Read: read('$.known.deep.total') }))).toEqual([
      `unset-path ${at}`,
    ]);
  });

  test.for(['${Name}', '$.${Name}', '$.${Name}.id'])('a path with a placeholder: %s', (path) => {
    expect(found(chain({ Known: known, Read: read(path) }))).toEqual([]);
  });

  test('data whose fields are placeholders', () => {
    const workflow = chain({
      Known: { Type: 'Pass', Result: { '${Key}': 1, b: '${B}' } },
      Read: read('$.a'),
    });
    expect(found(workflow)).toEqual([]);
  });

  test('a state that may lead anywhere', () => {
    const workflow = chain({ Known: known, Read: read('$.a') }) as {
      States: Record<string, JsonObject>;
    };
    workflow.States['More'] = {
      Type: 'Choice',
      Choices: [{ Variable: '$.a', IsPresent: true, Next: '${Target}' }],
      Default: 'Read',
    };
    workflow.States['Known'] = { ...known, Next: 'More' };
    expect(
      check(JSON.stringify(workflow), { formats: [asl] }).diagnostics.filter(({ code }) =>
        code.startsWith('asl/unset'),
      ),
    ).toEqual([]);
  });
});

describe('fields', () => {
  const result = { Known: known };
  test.for<[string, JsonObject, readonly string[]]>([
    ['InputPath', { Type: 'Pass', InputPath: '$.a' }, ['InputPath']],
    [
      'InputPath null',
      { Type: 'Pass', InputPath: null, Parameters: { 'x.$': '$.order' } },
      ['Parameters.x.$'],
    ],
    [
      'OutputPath, after ResultPath',
      { Type: 'Pass', Result: 1, ResultPath: '$.a', OutputPath: '$.a' },
      [],
    ],
    ['OutputPath', { Type: 'Pass', OutputPath: '$.a' }, ['OutputPath']],
    ['ResultSelector of a task', { ...task, ResultSelector: { 'x.$': '$.a' } }, []],
    [
      'ResultSelector of a Parallel',
      {
        Type: 'Parallel',
        Branches: [chain({ P: { Type: 'Pass' } })],
        ResultSelector: { 'x.$': '$.order', 'y.$': '$[0].order', 'z.$': '$[1]' },
      },
      ['ResultSelector.x.$', 'ResultSelector.z.$'],
    ],
    [
      'Assign, from the result',
      { Type: 'Pass', Result: { a: 1 }, Assign: { 'a.$': '$.a', 'o.$': '$.order' } },
      ['Assign.o.$'],
    ],
    ['Seconds', { Type: 'Wait', SecondsPath: '$.a' }, ['SecondsPath']],
    ['Timestamp', { Type: 'Wait', TimestampPath: '$.order.until' }, ['TimestampPath']],
    ['TimeoutSeconds', { ...task, TimeoutSecondsPath: '$.a' }, ['TimeoutSecondsPath']],
    [
      'Error and Cause',
      { Type: 'Fail', ErrorPath: '$.a', CausePath: "States.Format('{}', $.b)" },
      ['ErrorPath', 'CausePath'],
    ],
    [
      'ItemsPath',
      { Type: 'Map', ItemsPath: '$.lines', ItemProcessor: chain({ P: { Type: 'Pass' } }) },
      ['ItemsPath'],
    ],
    [
      'MaxConcurrency',
      {
        Type: 'Map',
        ItemsPath: '$.order.lines',
        MaxConcurrencyPath: '$.a',
        ItemProcessor: chain({ P: { Type: 'Pass' } }),
      },
      ['MaxConcurrencyPath'],
    ],
  ])('%s', ([, state, places]) => {
    expect(found(chain({ ...result, Read: state }))).toEqual(
      places.map((place) => `unset-path Read.${place}`),
    );
  });
});

describe('errors', () => {
  const caught = (catcher: JsonObject, next: JsonObject): JsonObject => ({
    StartAt: 'Known',
    States: {
      Known: { ...known, Next: 'Work' },
      Work: {
        ...task,
        Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Read', ...catcher }],
        End: true,
      },
      Read: { ...next, End: true },
    },
  });
  test.for<[string, JsonObject, string, boolean]>([
    ['replace the data', {}, '$.order', false],
    ['have a name', {}, '$.Error', true],
    ['have a text as their cause', {}, '$.Cause.message', false],
    ['are stored', { ResultPath: '$.error' }, '$.order.id', true],
    ['are stored', { ResultPath: '$.error' }, '$.error.Cause', true],
    ['are stored', { ResultPath: '$.error' }, '$.error.message', false],
    ['are dropped', { ResultPath: null }, '$.order', true],
    ['are dropped', { ResultPath: null }, '$.Error', false],
  ])('%s: %j %s', ([, catcher, path, isThere]) => {
    expect(found(caught(catcher, read(path)))).toEqual(isThere ? [] : [`unset-path ${at}`]);
  });
  test.for<[string, string]>([
    ['$.order', 'or give the catcher of "Work" a "ResultPath" that keeps its input.'],
    [
      '$.Cause.message',
      '"Cause" is a text: read it as JSON with "States.StringToJson", or "$parse" in JSONata.',
    ],
  ])('the remedy for %s', ([path, remedy]) => {
    const { diagnostics } = check(JSON.stringify(caught({}, read(path))), { formats: [asl] });
    expect(diagnostics.map(({ hint }) => hint)).toEqual([expect.stringContaining(remedy)]);
  });
  test('assign variables', () => {
    const workflow = caught({ Assign: { 'e.$': '$.Error', 'o.$': '$.order' } }, read('$e'));
    expect(found(workflow)).toEqual(['unset-path Work.Catch.0.Assign.o.$']);
  });
});

describe('variables', () => {
  test('no state assigns it', () => {
    expect(found(chain({ A: { ...task, Assign: { total: 1 } }, Read: read('$totl') }))).toEqual([
      `unset-variable ${at}`,
    ]);
  });
  test('a later state assigns it', () => {
    expect(found(chain({ Read: read('$total'), A: { ...task, Assign: { total: 1 } } }))).toEqual([
      `unset-variable ${at}`,
    ]);
  });
  test('a loop assigns it', () => {
    const workflow = {
      StartAt: 'Ask',
      States: {
        Ask: {
          Type: 'Choice',
          Choices: [{ Variable: '$.more', BooleanEquals: true, Next: 'Set' }],
          Default: 'Read',
        },
        Set: { ...task, Assign: { total: 1 }, Next: 'Ask' },
        Read: { ...read('$total'), End: true },
      },
    };
    expect(found(workflow)).toEqual([]);
  });
  test('those of a branch end with it, and those around it can be read in it', () => {
    const workflow = chain({
      Set: { ...task, Assign: { outer: { a: 1 } } },
      Both: {
        Type: 'Parallel',
        Branches: [
          chain({
            In: {
              Type: 'Pass',
              Parameters: { 'x.$': '$outer.a', 'y.$': '$outer.b' },
              Assign: { inner: 1 },
            },
          }),
        ],
      },
      Read: read('$inner'),
    });
    expect(found(workflow)).toEqual([
      'unset-path Both.Branches.0.States.In.Parameters.y.$',
      `unset-variable ${at}`,
    ]);
  });
  test('a state reads what it assigns only behind itself', () => {
    const workflow = chain({ Read: { ...read('$total'), Assign: { total: 1 } } });
    expect(found(workflow)).toEqual([`unset-variable ${at}`]);
  });
  test('parameters of templates are variables', () => {
    const workflow = {
      ...chain({ Read: read('$limit') }),
      Parameters: { limit: { Type: 'number' } },
    };
    expect(found(workflow, { dialect: 'agent' })).toEqual([]);
  });
});

describe('the context object', () => {
  const token = { ...task, Parameters: { 't.$': '$$.Task.Token' } };
  test.for<[string, JsonObject, readonly string[]]>([
    [
      'fields of the run',
      {
        Type: 'Pass',
        Parameters: {
          'a.$': '$$.Execution.Input.any',
          'b.$': '$$.StateMachine.Id',
          'c.$': '$$.State.EnteredTime',
        },
      },
      [],
    ],
    ['a misspelt field', read('$$.Exekution.Id'), ['unset-context Read.Parameters.x.$']],
    ['an item outside of a Map', read('$$.Map.Item.Value'), ['unset-context Read.Parameters.x.$']],
    [
      'a token that nobody waits for',
      {
        ...token,
        Resource: 'arn:aws:states:::sqs:sendMessage',
        Parameters: { QueueUrl: 'https://q', 'MessageBody.$': '$$.Task.Token' },
      },
      ['unset-context Read.Parameters.MessageBody.$'],
    ],
    [
      'a token that is waited for',
      {
        ...token,
        Resource: 'arn:aws:states:::sqs:sendMessage.waitForTaskToken',
        Parameters: { QueueUrl: 'https://q', 'MessageBody.$': '$$.Task.Token' },
      },
      [],
    ],
    ['a resource that is filled in later', { ...token, Resource: '${Activity}' }, []],
    [
      'an item in its Map',
      {
        Type: 'Map',
        ItemsPath: '$.list',
        ItemSelector: { 'v.$': '$$.Map.Item.Value.a', 'i.$': '$$.Map.Item.Index' },
        ItemProcessor: chain({ P: read('$$.Map.Item.Value') }),
      },
      [],
    ],
    [
      'an item after its Map',
      {
        Type: 'Map',
        ItemsPath: '$.list',
        ItemProcessor: chain({ P: { Type: 'Pass' } }),
        ResultSelector: { 'v.$': '$$.Map.Item.Value' },
      },
      ['unset-context Read.ResultSelector.v.$'],
    ],
  ])('%s', ([, state, places]) => {
    expect(found(chain({ Read: state }))).toEqual(places);
  });
});

describe('machines within states', () => {
  const items = { Type: 'Pass', Result: { list: [{ a: 1 }, { a: 2 }], b: 2 } };
  const config = { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' };
  const map = (more: JsonObject, inner: JsonObject): JsonObject => {
    const processor = { ...chain({ Read: inner }), ProcessorConfig: config };
    const each = { Type: 'Map', ItemsPath: '$.list', ItemProcessor: processor, ...more };
    return chain({ Known: items, Each: each });
  };
  test.for<[string, JsonObject, string, boolean]>([
    ['an item', {}, '$.a', true],
    ['an item', {}, '$.b', false],
    ['the selected input', { ItemSelector: { 'v.$': '$$.Map.Item.Value' } }, '$.v.a', true],
    ['the selected input', { ItemSelector: { 'v.$': '$$.Map.Item.Value' } }, '$.v.b', false],
    ['the selected input', { ItemSelector: { 'v.$': '$$.Map.Item.Value' } }, '$.a', false],
    ['Parameters', { Parameters: { 'v.$': '$$.Map.Item.Value' } }, '$.v.a', true],
    [
      'a batch',
      { ItemBatcher: { MaxItemsPerBatch: 2, BatchInput: { 'n.$': '$.b' } } },
      '$.Items[0].a',
      true,
    ],
    [
      'a batch',
      { ItemBatcher: { MaxItemsPerBatch: 2, BatchInput: { 'n.$': '$.b' } } },
      '$.BatchInput.n',
      true,
    ],
    ['a batch', { ItemBatcher: { MaxItemsPerBatch: 2 } }, '$.a', false],
  ])('%s of a Map: %j %s', ([, more, path, isThere]) => {
    expect(found(map(more, read(path)))).toEqual(
      isThere ? [] : ['unset-path Each.ItemProcessor.States.Read.Parameters.x.$'],
    );
  });
  test.for<[string, boolean]>([
    ['$[0].a', true],
    ['$[7].a', true],
    ['$[0].b', false],
    ['$.a', false],
  ])('the result of a Map: %s', ([path, isThere]) => {
    const each = {
      Type: 'Map',
      ItemsPath: '$.list',
      ItemProcessor: chain({ P: { Type: 'Pass' } }),
    };
    expect(found(chain({ Known: items, Each: each, Read: read(path) }))).toEqual(
      isThere ? [] : [`unset-path ${at}`],
    );
  });
  test.for<[string, boolean]>([
    ['$.both[0].x', true],
    ['$.both[1].y', true],
    ['$.both[0].y', false],
    ['$.both[2]', false],
    ['$.list[0].a', true],
  ])('the result of a Parallel: %s', ([path, isThere]) => {
    const both = {
      Type: 'Parallel',
      Branches: [chain({ One: read('$.b') }), chain({ Two: { Type: 'Pass', Result: { y: 1 } } })],
      ResultPath: '$.both',
    };
    expect(found(chain({ Known: items, Both: both, Read: read(path) }))).toEqual(
      isThere ? [] : [`unset-path ${at}`],
    );
  });
});

describe('Choices', () => {
  const choice = (rule: JsonObject, more: JsonObject = {}): JsonObject => ({
    StartAt: 'Known',
    States: {
      Known: { ...known, Next: 'Ask' },
      Ask: { Type: 'Choice', Choices: [{ Next: 'Read', ...rule }], Default: 'Else', ...more },
      Read: { ...read('$.a'), End: true },
      Else: { Type: 'Succeed' },
    },
  });
  const missing = { Variable: '$.a', StringEquals: 'x' };
  const present = { Variable: '$.a', IsPresent: true };
  const here = { Variable: '$.text', StringEquals: 'x' };
  test.for<[string, JsonObject, readonly string[]]>([
    ['a comparison', missing, ['Ask.Choices.0.Variable']],
    [
      'the other side of one',
      { Variable: '$.text', StringEqualsPath: '$.b' },
      ['Ask.Choices.0.StringEqualsPath', at],
    ],
    ['the question whether it is there', present, []],
    ['And behind that question', { And: [present, missing] }, []],
    ['And before that question', { And: [missing, present] }, ['Ask.Choices.0.And.0.Variable']],
    [
      'Or behind the question whether it is absent',
      { Or: [{ ...present, IsPresent: false }, missing] },
      [at],
    ],
    ['Not', { And: [{ Not: { ...present, IsPresent: false } }, missing] }, []],
    ['the way of another rule', here, [at]],
  ])('%s', ([, rule, places]) => {
    expect(found(choice(rule))).toEqual(places.map((place) => `unset-path ${place}`));
  });
  test('rules behind one that always holds are not read', () => {
    const Choices = [
      { ...present, IsPresent: false, Next: 'Else' },
      { ...missing, Next: 'Read' },
    ];
    expect(found(choice(present, { Choices }))).toEqual([]);
  });
});

describe('JSONata', () => {
  const states = {
    Known: {
      ...jsonata,
      Output: { order: { id: '{% $random() %}' }, list: [{ a: 1 }] },
      Assign: { v: { a: 1 } },
    },
  };
  test.for<[string, string | undefined]>([
    ['$states.input.order.id', undefined],
    ['$states.input.order.id.any', undefined],
    ['$states.input.list.a', undefined],
    ['$states.input.list[0].a', undefined],
    ['$states.input.list.b', 'unset-path'],
    ['$states.input.total', 'unset-path'],
    ['$states.input.total + 1', 'unset-path'],
    ['$sum($states.input.lines.price)', 'unset-path'],
    ['$exists($states.input.total)', undefined],
    ['$states.input.total ? $states.input.total : 0', undefined],
    ['$states.input.total.sum and $states.input.total.sum > 1', undefined],
    ['$not($exists($states.input.total)) ? 0 : $states.input.total', undefined],
    ['$states.input.`order`.id', undefined],
    ['$states.input.`order`.total', 'unset-path'],
    ['$v.a', undefined],
    ['$v.b', 'unset-path'],
    ['$w', 'unset-variable'],
    ['$w & "x"', 'unset-variable'],
    ['$map($states.input.list, function($w) { $w.a })', undefined],
    ['($w := 1; $w + 1)', undefined],
    ['$map($states.input.list, $string)', undefined],
    ['$states.input.list ~> $count', undefined],
    ['$states.context.Execution.Input.any', undefined],
    ['$states.context.Task.Token', 'unset-context'],
    ['$states', undefined],
  ])('%s', ([expression, code]) => {
    expect(found(chain({ ...states, Read: seen(expression) }))).toEqual(
      code ? [`${code} Read.Output.x`] : [],
    );
  });

  test('$exists protects the ways of a Choice', () => {
    const workflow = {
      QueryLanguage: 'JSONata',
      StartAt: 'Known',
      States: {
        Known: { Type: 'Pass', Output: { a: 1 }, Next: 'Ask' },
        Ask: {
          Type: 'Choice',
          Choices: [
            { Condition: '{% $exists($states.input.b) and $states.input.b > 1 %}', Next: 'Read' },
          ],
          Default: 'Else',
        },
        Read: { Type: 'Pass', Output: '{% $states.input.b %}', End: true },
        Else: { Type: 'Succeed' },
      },
    };
    expect(found(workflow)).toEqual([]);
  });

  test('the error that is caught replaces the data, and the result of a task may be anything', () => {
    const workflow = {
      QueryLanguage: 'JSONata',
      StartAt: 'Work',
      States: {
        Work: {
          ...task,
          Output: '{% $states.result.any %}',
          Catch: [
            {
              ErrorEquals: ['States.ALL'],
              Next: 'Read',
              Assign: { e: '{% $states.errorOutput.Message %}' },
            },
          ],
          Next: 'Fine',
        },
        Read: { Type: 'Pass', Output: '{% $states.input.name %}', End: true },
        Fine: { Type: 'Pass', Output: '{% $states.input.name %}', End: true },
      },
    };
    expect(found(workflow)).toEqual(['unset-path Work.Catch.0.Assign.e', 'unset-path Read.Output']);
  });
});

describe('ways that do not set it', () => {
  const ways = (join: JsonObject, more: Record<string, Json> = {}): JsonObject => ({
    StartAt: 'Known',
    States: {
      Known: { ...known, Next: 'Ask' },
      Ask: {
        Type: 'Choice',
        Choices: [{ Variable: '$.text', StringEquals: 'x', Next: 'Set' }],
        Default: 'Join',
      },
      Set: { ...task, ResultPath: '$.a', Assign: { v: 1 }, Next: 'Join' },
      Join: join,
      ...more,
    },
  });
  test.for(['$.a', '$.a.deep', '$v'])('%s', (path) => {
    const { diagnostics } = check(JSON.stringify(ways({ ...read(path), End: true })), {
      formats: [asl],
    });
    expect(diagnostics).toMatchObject([
      {
        code: 'asl/not-always-set',
        severity: 'warning',
        message: `"${path}" has no value on the way "Known" → "Ask" → "Join".`,
        path: ['States', 'Join', 'Parameters', 'x.$'],
      },
    ]);
  });
  test('are found behind the place where they meet', () => {
    const Read = { ...read('$v'), End: true };
    expect(found(ways({ ...task, Next: 'Read' }, { Read }))).toEqual([`not-always-set ${at}`]);
  });
  test('a Choice may know which way it was', () => {
    const Read = { ...read('$v'), End: true };
    const join = {
      Type: 'Choice',
      Choices: [{ Variable: '$.text', StringEquals: 'x', Next: 'Read' }],
      Default: 'End',
    };
    expect(found(ways(join, { Read, End: { Type: 'Succeed' } }))).toEqual([]);
  });
  test('where paths to nothing are null, only variables have to be set', () => {
    const { States: states } = ways({ ...read('$.a'), End: true }) as { States: JsonObject };
    const Set = { Type: 'Task', Agent: 'A', ResultPath: '$.a', Next: 'Join' };
    const workflow = { StartAt: 'Known', States: { ...states, Set } };
    expect(found(workflow)).toEqual(['not-always-set Join.Parameters.x.$']);
    expect(found(workflow, { missing: 'null' })).toEqual([]);
  });
  test('what is read after an error, or in one rule of a Choice, is left alone', () => {
    const rule = { Variable: '$.text', StringEquals: 'x', Assign: { 'w.$': '$v' }, Next: 'End' };
    const more = {
      Ask2: { Type: 'Choice', Choices: [rule], Default: 'End' },
      End: { Type: 'Succeed' },
    };
    const catcher = { ErrorEquals: ['A'], Assign: { 'w.$': '$v' }, Next: 'End' };
    expect(found(ways({ ...task, Catch: [catcher], Next: 'Ask2' }, more))).toEqual([]);
  });
  test('a caught error that replaces the data before the state is tried again is found', () => {
    const again = (catcher: JsonObject): JsonObject => ({
      StartAt: 'Work',
      States: {
        Work: {
          ...task,
          Parameters: { 'id.$': '$.order.id' },
          ResultPath: '$.done',
          Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Wait', ...catcher }],
          End: true,
        },
        Wait: { Type: 'Wait', Seconds: 5, Next: 'Work' },
      },
    });
    const { diagnostics } = check(JSON.stringify(again({})), { formats: [asl] });
    expect(diagnostics).toMatchObject([
      {
        code: 'asl/not-always-set',
        message: '"$.order.id" has no value on the way "Work" → "Wait" → "Work".',
        path: ['States', 'Work', 'Parameters', 'id.$'],
      },
    ]);
    expect(found(again({ ResultPath: '$.error' }))).toEqual([]);
    expect(found(again({ ResultPath: null }))).toEqual([]);
  });
  test('a loop sets it before it is read again', () => {
    const workflow = {
      StartAt: 'Set',
      States: {
        Set: { ...task, Assign: { v: 1 }, Next: 'Loop' },
        Loop: { ...read('$v'), Next: 'Ask' },
        Ask: {
          Type: 'Choice',
          Choices: [{ Variable: '$.x', NumericEquals: 1, Next: 'Loop' }],
          Default: 'End',
        },
        End: { Type: 'Succeed' },
      },
    };
    expect(found(workflow)).toEqual([]);
  });
});

describe('workflows of agents', () => {
  test('a placeholder of a prompt that a caught error has replaced is found', () => {
    const pay = (catcher: JsonObject, prompt: Json): JsonObject => ({
      StartAt: 'Pay',
      States: {
        Pay: {
          Type: 'Task',
          Agent: 'Pay',
          Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Ask', ...catcher }],
          End: true,
        },
        Ask: { Type: 'Approval', Prompt: prompt, ResultPath: '$.review', End: true },
      },
    });
    const lost = ['unset-path Ask.Prompt'];
    expect(found(pay({ ResultPath: '$' }, 'Pay {{$.order.id}}?'))).toEqual(lost);
    expect(found(pay({ ResultPath: '$' }, { title: 'Pay {{ $.order.id }}?' }))).toEqual(lost);
    expect(found(pay({ ResultPath: '$' }, '{{$.Cause}}: again?'))).toEqual([]);
    expect(found(pay({}, 'Pay {{$.order.id}}?'))).toEqual([]);
  });
  const agent = { Type: 'Task', Agent: 'A', ResultPath: '$.a' };
  test.for<[string, JsonObject, string, boolean]>([
    ['a debate', { Type: 'Debate', Agents: ['A', 'B'], Topic: 'T' }, '$.decision', true],
    ['a debate', { Type: 'Debate', Agents: ['A', 'B'], Topic: 'T' }, '$.winner', false],
    [
      'an approval',
      { Type: 'Approval', Prompt: 'P', ResultPath: '$.review' },
      '$.review.comment',
      true,
    ],
    ['an approval', { Type: 'Approval', Prompt: 'P', ResultPath: '$.review' }, '$.decision', false],
    ['an approval without a place', { Type: 'Approval', Prompt: 'P' }, '$.any', true],
    ['a checkpoint', { Type: 'Checkpoint', Name: 'C' }, '$.order.id', true],
    ['a checkpoint', { Type: 'Checkpoint', Name: 'C' }, '$.checkpoint', false],
    [
      'a checkpoint with a place',
      { Type: 'Checkpoint', Name: 'C', ResultPath: '$.saved' },
      '$.saved.checkpoint.name',
      true,
    ],
    [
      'a workflow',
      { Type: 'Workflow', WorkflowId: 'w', Input: { 'x.$': '$.order' } },
      '$.any',
      true,
    ],
    [
      'an agent with reasoning',
      { ...agent, Reasoning: { Required: true, Store: '$.why' } },
      '$.why',
      true,
    ],
    [
      'an agent with reasoning',
      { ...agent, Reasoning: { Required: true, Store: '$.why' } },
      '$.who',
      false,
    ],
  ])('%s: %s', ([, state, path, isThere]) => {
    const workflow = chain({ Known: known, Work: state, Read: read(path) });
    expect(found(workflow, { dialect: 'agent' })).toEqual(isThere ? [] : [`unset-path ${at}`]);
  });
});

test('a misspelt field explains what is absent behind it', () => {
  const workflow = chain({
    Known: known,
    Work: { ...task, ResultPaht: '$.a' },
    Read: read('$.order'),
  });
  const { diagnostics } = check(JSON.stringify(workflow), { formats: [asl] });
  expect(diagnostics.map(({ code }) => code)).toEqual(['asl/unsupported-field']);
});

describe('large workflows', () => {
  const many = (state: (index: number) => JsonObject): Record<string, JsonObject> =>
    Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`S${index}`, state(index)]));
  test.for<[string, Record<string, JsonObject>, string, boolean]>([
    [
      'data that doubles',
      many(() => ({ Type: 'Pass', Parameters: { 'a.$': '$', 'b.$': '$' } })),
      '$.b.a',
      true,
    ],
    [
      'data that doubles',
      many(() => ({ Type: 'Pass', Parameters: { 'a.$': '$', 'b.$': '$' } })),
      '$.c',
      false,
    ],
    [
      'a thousand fields',
      many((index) => ({ Type: 'Pass', Result: 1, ResultPath: `$.f${index}` })),
      '$.c',
      true,
    ],
  ])('%s: %s %s', ([, states, path, isThere]) => {
    const workflow = chain({ Start: { Type: 'Pass', Result: {} }, ...states, Read: read(path) });
    expect(found(workflow)).toEqual(isThere ? [] : [`unset-path ${at}`]);
  });

  test('loops that write ever more may write anything in the end', () => {
    const count = 300;
    const looping = (index: number): JsonObject => ({
      ...task,
      ResultPath: `$.f${index}.g`,
      Assign: { [`v${index}`]: { 'a.$': '$' } },
      Catch: [
        { ErrorEquals: ['A'], Next: `S${(index * 79) % count}`, ResultPath: `$.e${index}` },
        { ErrorEquals: ['B'], Next: 'Read', ResultPath: null },
      ],
      Next: `S${(index + 1) % count}`,
    });
    const states = Array.from({ length: count }, (_, index) => [`S${index}`, looping(index)]);
    const workflow = {
      StartAt: 'Start',
      States: {
        Start: { Type: 'Pass', Result: {}, Next: 'S0' },
        ...(Object.fromEntries(states) as JsonObject),
        Read: { ...read('$.order'), End: true },
      },
    };
    expect(found(workflow)).toEqual([`not-always-set ${at}`]);
  });
});

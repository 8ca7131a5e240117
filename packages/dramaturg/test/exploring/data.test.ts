import { compile } from 'dramaturg';
import { expect, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';
import { explore } from '../../src/exploring/explore.ts';

const bounds = { steps: 3000, seconds: 3_600 };
const resource = 'arn:aws:states:::lambda:invoke';
const done = { Type: 'Succeed' };

/** What no test reaches of a workflow of Amazon. */
async function unreachedIn(definition: object) {
  const compiled = compile(JSON.stringify(definition), { format: 'asl' });
  const { unreached } = await explore(compiled, { bounds });
  return unreached.map(({ kind, label, reason }) => `${kind} ${label}: ${reason}`);
}

const ask = { Type: 'Task', Resource: resource, Parameters: { 'all.$': '$' } };

test('data have lists where a path takes an item, all items, or those of a filter', async () => {
  const definition = {
    StartAt: 'Ask',
    States: {
      Ask: { ...ask, Next: 'Pick' },
      Pick: {
        Type: 'Pass',
        Parameters: {
          'third.$': '$.order.lines[2].price',
          'all.$': '$.order.lines[*].name',
          'red.$': "$.order.lines[?(@.colour == 'red')]",
        },
        Next: 'Is there one?',
      },
      'Is there one?': {
        Type: 'Choice',
        Choices: [{ Variable: '$.red[0]', IsPresent: true, Next: 'Done' }],
        Default: 'None',
      },
      None: { Type: 'Pass', End: true },
      Done: done,
    },
  };
  expect(await unreachedIn(definition)).toEqual([]);
});

test('data fit the intrinsic functions that read them, also after they were copied', async () => {
  const definition = {
    StartAt: 'Take',
    States: {
      Take: {
        Type: 'Pass',
        Parameters: {
          'path.$': '$.file.key',
          'at.$': '$.file.index',
          'text.$': '$.remark',
          'more.$': '$.context',
        },
        Next: 'Read',
      },
      Read: {
        Type: 'Pass',
        Parameters: {
          'name.$': "States.ArrayGetItem(States.StringSplit($.path, '/'), $.at)",
          'more.$': 'States.MathAdd($.at, 1)',
          'note.$': 'States.StringToJson($.text)',
        },
        Next: 'Wait',
      },
      Wait: { Type: 'Wait', SecondsPath: '$.note.seconds', Next: 'Done' },
      Done: done,
    },
  };
  expect(await unreachedIn(definition)).toEqual([]);
});

test('a field that becomes the whole data has the fields, or the items, that are read later', async () => {
  const definition = {
    StartAt: 'Ask',
    States: {
      Ask: { ...ask, OutputPath: '$.Payload', Next: 'Way' },
      Way: {
        Type: 'Choice',
        Choices: [{ Variable: '$.status', StringEquals: 'late', Next: 'List' }],
        Default: 'Done',
      },
      List: { ...ask, OutputPath: '$.Items', Next: 'Each' },
      Each: {
        Type: 'Map',
        ItemProcessor: {
          StartAt: 'One',
          States: { One: { Type: 'Pass', Parameters: { 'id.$': '$.Id' }, End: true } },
        },
        Next: 'Done',
      },
      Done: done,
    },
  };
  expect(await unreachedIn(definition)).toEqual([]);
});

test('the data of a variable have the fields that are read of it', async () => {
  const definition = {
    QueryLanguage: 'JSONata',
    StartAt: 'Ask',
    States: {
      Ask: {
        Type: 'Task',
        Resource: resource,
        Arguments: { a: 1 },
        Assign: { order: '{% $states.result.Payload %}' },
        Next: 'Way',
      },
      Way: {
        Type: 'Choice',
        Choices: [
          { Condition: "{% $order.status = 'late' and $count($order.lines) > 0 %}", Next: 'Late' },
        ],
        Default: 'Done',
      },
      Late: { Type: 'Pass', Output: '{% $order.lines[0].price * 2 %}', Next: 'Done' },
      Done: done,
    },
  };
  expect(await unreachedIn(definition)).toEqual([]);
});

test('fields of the same name in two objects have values of their own', async () => {
  const definition = {
    StartAt: 'Ask',
    States: {
      Ask: { ...ask, Next: 'Way' },
      Way: {
        Type: 'Choice',
        Choices: [
          {
            And: [
              { Variable: '$.Item.id.S', StringEquals: 'flat-1' },
              { Variable: '$.Item.booked.S', StringEquals: 'Yes' },
            ],
            Next: 'Booked',
          },
        ],
        Default: 'Done',
      },
      Booked: { Type: 'Pass', End: true },
      Done: done,
    },
  };
  expect(await unreachedIn(definition)).toEqual([]);
});

test('errors are tried that a catcher does not name, and causes that are JSON where they are read as JSON', async () => {
  const definition = {
    StartAt: 'Ask',
    States: {
      Ask: {
        ...ask,
        Catch: [
          { ErrorEquals: ['States.TaskFailed'], Next: 'Parse' },
          { ErrorEquals: ['States.ALL'], Next: 'Done' },
        ],
        Next: 'Done',
      },
      Parse: {
        Type: 'Pass',
        Parameters: { 'why.$': 'States.StringToJson($.Cause)' },
        Next: 'Told',
      },
      Told: { Type: 'Pass', Parameters: { 'text.$': '$.why.message' }, Next: 'Done' },
      Done: done,
    },
  };
  expect(await unreachedIn(definition)).toEqual([]);
});

test('a state that fails every run says with which error', async () => {
  const definition = {
    StartAt: 'Read',
    States: {
      Read: {
        Type: 'Pass',
        Parameters: { 'a.$': 'States.ArrayGetItem(States.Array(1), 3)' },
        Next: 'Next',
      },
      Next: { Type: 'Pass', End: true },
    },
  };
  const [first] = await unreachedIn(definition);
  expect(first).toBe(
    'transition Read: Runs fail in this state: States.Runtime, States.ArrayGetItem: there is no element 3 in a list of 1.',
  );
});

test('a finding about something else is no reason', async () => {
  const plan = {
    id: 'still',
    title: 'Still',
    states: [{ id: 'a', type: 'loose', tasks: [] }],
  };
  const compiled = compile(JSON.stringify(plan), { format: 'plan' });
  expect(compiled.diagnostics.map(({ code }) => code)).toContain('plan/missing-title');
  const { unreached } = await explore(compiled, { bounds });
  expect(unreached.length).toBeGreaterThan(0);
  for (const { code, reason } of unreached) {
    expect(code).toBeUndefined();
    expect(reason).not.toContain('title');
  }
});

test('a value is tried while another field is missing, and the input of a Map may be its list', async () => {
  const definition = {
    StartAt: 'By number?',
    States: {
      'By number?': {
        Type: 'Choice',
        Choices: [{ Variable: '$.number', IsPresent: true, Next: 'Done' }],
        Default: 'How?',
      },
      'How?': {
        Type: 'Choice',
        Choices: [{ Variable: '$.method', StringEquals: 'POST', Next: 'Done' }],
        Default: 'Each',
      },
      Each: {
        Type: 'Map',
        InputPath: '$.orders',
        ItemsPath: '$',
        ItemProcessor: { StartAt: 'One', States: { One: { Type: 'Pass', End: true } } },
        Next: 'Done',
      },
      Done: done,
    },
  };
  expect(await unreachedIn(definition)).toEqual([]);
});

test('a field may be a list in one state and an object in another, and two compared fields have every pair of values', async ({
  skip,
}) => {
  skip(!runsAll);
  const definition = {
    StartAt: 'Kind?',
    States: {
      'Kind?': {
        Type: 'Choice',
        Choices: [{ Variable: '$.kind', StringEquals: 'query', Next: 'Which?' }],
        Default: 'Ask',
      },
      'Which?': {
        Type: 'Choice',
        Choices: [{ Variable: '$.query', StringEquals: 'monthly', Next: 'Done' }],
        Default: 'None',
      },
      None: { Type: 'Pass', End: true },
      Ask: { ...ask, ResultPath: '$.found', Next: 'Any?' },
      'Any?': {
        Type: 'Choice',
        Choices: [{ Variable: '$.found.faces[0]', IsPresent: true, Next: 'Each' }],
        Default: 'Done',
      },
      Each: {
        Type: 'Map',
        ItemsPath: '$.found.faces',
        ItemSelector: { 'faces.$': '$$.Map.Item.Value' },
        ItemProcessor: {
          StartAt: 'One',
          States: { One: { Type: 'Pass', Parameters: { 'id.$': '$.faces.id' }, End: true } },
        },
        Next: 'Done',
      },
      Done: done,
    },
  };
  expect(await unreachedIn(definition)).toEqual([]);
});

test('items have the fields that a Map reads of them, and two compared fields are equal and different', async () => {
  const definition = {
    StartAt: 'Which?',
    States: {
      'Which?': {
        Type: 'Choice',
        Choices: [
          { Variable: '$.asked', NumericLessThanPath: '$.limit', Next: 'Each' },
          { Variable: '$.name', StringEqualsPath: '$.owner', Next: 'Done' },
        ],
        Default: 'None',
      },
      None: { Type: 'Pass', End: true },
      Each: {
        Type: 'Map',
        ItemsPath: '$.shelves',
        ItemSelector: { 'code.$': '$$.Map.Item.Value.code' },
        ItemProcessor: { StartAt: 'One', States: { One: { Type: 'Pass', End: true } } },
        Next: 'Done',
      },
      Done: done,
    },
  };
  expect(await unreachedIn(definition)).toEqual([]);
});

test('items of lists have what is read of them, also where whole data would be too large', async ({
  skip,
}) => {
  skip(!runsAll);
  const fields = Array.from({ length: 12 }, (_, index) => [
    `f${index}.$`,
    `$.rows${index}[0].cells${index}[1].value${index}`,
  ]);
  const definition = {
    StartAt: 'Ask',
    States: {
      Ask: { ...ask, ResultSelector: { 'id.$': '$.Groups[0].Items[0].Id' }, Next: 'Read' },
      Read: { ...ask, ResultSelector: Object.fromEntries(fields), Next: 'Done' },
      Done: done,
    },
  };
  expect(await unreachedIn(definition)).toEqual([]);
});

import { expect, test } from 'vitest';
import { dramaturg } from '../command.ts';
import { folderWith } from './stage.ts';

const arn = 'arn:aws:states:::';
const orders = {
  StartAt: 'Price',
  States: {
    Price: {
      Type: 'Task',
      Resource: `${arn}lambda:invoke`,
      OutputPath: '$.Payload',
      Retry: [{ ErrorEquals: ['Busy'], IntervalSeconds: 3600, MaxAttempts: 2 }],
      Catch: [{ ErrorEquals: ['Closed'], Next: 'Closed' }],
      Next: 'Ask',
    },
    Ask: {
      Type: 'Task',
      Resource: `${arn}sqs:sendMessage.waitForTaskToken`,
      Parameters: { 'MessageBody.$': '$$.Task.Token' },
      Next: 'Each',
    },
    Each: {
      Type: 'Map',
      ItemsPath: '$.items',
      ItemProcessor: {
        StartAt: 'Pack',
        States: {
          Pack: {
            Type: 'Task',
            Resource: 'arn:aws:lambda:eu-west-1:123456789012:function:pack',
            End: true,
          },
        },
      },
      End: true,
    },
    Closed: { Type: 'Fail', Error: 'ShopClosed' },
  },
};

const found = { Price: 'Priced', Ask: 'Agreed', Pack: 'Packed' };
/** Projects keep more in the file. */
const mocks = {
  Assert: { Orders: [{ Sold: [] }] },
  StateMachines: {
    Orders: {
      TestCases: {
        Sold: found,
        Late: { ...found, Price: 'PricedLate' },
        Refused: { Price: 'Priced', Ask: 'Denied' },
        Closed: { Price: 'ShopIsClosed' },
      },
    },
  },
  MockedResponses: {
    Priced: { '0': { Return: { Payload: { items: [1, 2] } } } },
    PricedLate: {
      '0-1': { Throw: { Error: 'Busy' } },
      '2': { Return: { Payload: { items: [] } } },
    },
    Agreed: { '0': { Return: { items: ['a', 'b'] } } },
    Denied: { '0': { Throw: { Error: 'Denied', Cause: 'too dear' } } },
    Packed: { '0-1': { Return: { StatusCode: 200, Payload: 'packed' } } },
    ShopIsClosed: { '0': { Throw: { Error: 'Closed' } } },
  },
};

type Changed = (given: typeof mocks) => object;

async function run(changed: Changed = (given) => given, args: readonly string[] = [], more = {}) {
  const stage = await folderWith({
    'orders.asl.json': JSON.stringify(orders),
    'MockConfigFile.json': JSON.stringify(changed(structuredClone(mocks)), undefined, 2),
    ...more,
  });
  const { code, stdout, stderr } = await stage.test(...args);
  return { code, text: `${stdout}${stderr}`.replaceAll(/ \d+ ms| [\d.]+ s\./g, '') };
}

test('the test cases of Step Functions Local run in a folder as they are', async () => {
  expect(await run()).toEqual({
    code: 0,
    text: [
      'MockConfigFile.json',
      '  ✓ Sold',
      '  ✓ Late',
      '  ✓ Refused',
      '  ✓ Closed',
      '',
      '✓ 4 tests passed, 1 file,',
      '',
    ].join('\n'),
  });
});

test('a test file gives a test case its input and says what has to hold', async () => {
  const tests = `
definition: orders.asl.json
mocks: MockConfigFile.json
tests:
  - name: a sold order is packed
    mock: Sold
    input: { input: { order: 7 } }
    steps:
      - { outcome: succeeded, output: [packed, packed] }
  - name: a busy shop is asked again
    mock: Orders#Late
    steps:
      - { state: Price }
      - { later: 2 hours, state: Price }
      - { later: 2 hours, outcome: succeeded }
`;
  const { code, text } = await run(undefined, [], { 'shop.test.yaml': tests });
  expect(code).toBe(0);
  // The test cases of test files are not run once more without their input.
  expect(text).toContain('MockConfigFile.json\n  ✓ Refused\n  ✓ Closed\n');
  expect(text).toContain('4 tests passed');
});

test('a run that fails with an error that nothing in the mocks or the workflow names does not pass', async () => {
  const priced = { Priced: { '0': { Return: { Payload: {} } } } };
  const { code, text } = await run(
    (given) => ({
      ...given,
      MockedResponses: { ...given.MockedResponses, ...priced, Agreed: { '0': { Return: 1 } } },
    }),
    ['--only', 'Sold'],
  );
  expect(code).toBe(1);
  expect(text).toContain('The run has failed in "Each": States.Runtime');
});

test('a call that no response answers fails the test, whatever the workflow catches', async () => {
  const { code, text } = await run(
    (given) => ({
      ...given,
      MockedResponses: { ...given.MockedResponses, Packed: { '0': { Return: 1 } } },
    }),
    ['--only', 'Sold'],
  );
  expect(code).toBe(1);
  expect(text).toContain('The mock "Packed" of "Pack" has no response for call 1.');
});

test.each<[string, Changed, string]>([
  [
    'a misspelt name of a mock',
    (given) => ({
      ...given,
      StateMachines: { Orders: { TestCases: { Sold: { Price: 'Prized' } } } },
    }),
    '"MockedResponses" has no "Prized".',
  ],
  [
    'a state that does not exist',
    (given) => ({
      ...given,
      StateMachines: { Orders: { TestCases: { Sold: { Prize: 'Priced' } } } },
    }),
    'The workflow has no state "Prize".',
  ],
  [
    'a state that is not a Task',
    (given) => ({
      ...given,
      StateMachines: { Orders: { TestCases: { Sold: { Each: 'Priced' } } } },
    }),
    'The state "Each" is not a Task',
  ],
  [
    'a state machine without a definition',
    (given) => ({
      ...given,
      StateMachines: { Parcels: { TestCases: { Sold: { Elsewhere: 'Priced' } } } },
    }),
    'There is no definition of the state machine "Parcels"',
  ],
  [
    'a key that counts nothing',
    (given) => ({ ...given, MockedResponses: { ...given.MockedResponses, Priced: { first: {} } } }),
    '"first" is neither the number of a call nor a range of numbers.',
  ],
  [
    'two responses to one call',
    (given) => ({
      ...given,
      MockedResponses: {
        ...given.MockedResponses,
        Priced: { '0-2': { Return: 1 }, '2': { Return: 2 } },
      },
    }),
    '"2" and "0-2" answer the same call.',
  ],
  [
    'a response that says nothing',
    (given) => ({ ...given, MockedResponses: { ...given.MockedResponses, Priced: { '0': {} } } }),
    'This response is empty.',
  ],
  [
    'a misspelt field',
    ({ MockedResponses: responses, ...given }) => ({ ...given, MockedResponse: responses }),
    'Did you mean "MockedResponses"?',
  ],
  ['a wrong type', (given) => ({ ...given, StateMachines: ['Orders'] }), '"StateMachines"'],
])('%s in a mock file is a finding with a place', async (_, changed, message) => {
  const { code, text } = await run(changed);
  expect(code).toBe(1);
  expect(text).toContain(message);
  expect(text).toMatch(/MockConfigFile\.json:\d+:\d+/);
});

test('mocks with a mistake are a finding of the test file that names them', async () => {
  const { text } = await run(() => ({ StateMachines: {} }), [], {
    'shop.test.yaml': `mocks: MockConfigFile.json\ndefinition: orders.asl.json\ntests:\n  - name: one\n    mock: Sold\n    steps: [{ state: Price }]\n`,
  });
  expect(text).toContain(
    'The mocks have a mistake, MockConfigFile.json:1:1: The field "MockedResponses" is missing.',
  );
});

test.each([
  ['Orders#Late', {}, 0, /is retried after 3600 seconds: Busy/],
  ['Late', { retrierRetryCount: 2 }, 0, /"Price" succeeds/],
  ['Late', { retrierRetryCount: 5 }, 2, /has no response for call 5/],
  ['Solt', {}, 2, /has no test case "Solt"/],
  ['', {}, 2, /Name one after the file: "MockConfigFile\.json#Orders#Sold"/],
])(
  'test-state takes the test case %j and the configuration %j',
  async (name, configuration, code, printed) => {
    const { folder } = await folderWith({
      'orders.asl.json': JSON.stringify(orders),
      'MockConfigFile.json': JSON.stringify(mocks),
    });
    const given = ['--state', 'Price', '--mock', `MockConfigFile.json${name && '#'}${name}`];
    const state = ['--state-configuration', JSON.stringify(configuration)];
    const ended = await dramaturg(['test-state', 'orders.asl.json', ...given, ...state], {
      cwd: folder,
    });
    expect(ended.code).toBe(code);
    expect(`${ended.stdout}${ended.stderr}`).toMatch(printed);
  },
);

test.each([
  ['mocks: MockConfigFile.json', 'Solt', 'no test case "Solt"'],
  ['mocks: Mocks.json', 'Sold', 'There is no file "Mocks.json" here.'],
  ['now: 2026-01-01', 'Sold', 'A test has "mock", and the file no "mocks".'],
])('a test file with %s and the mock %s has a finding', async (field, mock, message) => {
  const tests = `${field}\ndefinition: orders.asl.json\ntests:\n  - name: one\n    mock: ${mock}\n    steps: [{ state: Price }]\n`;
  const { code, text } = await run(undefined, [], { 'shop.test.yaml': tests });
  expect(code).toBe(1);
  expect(text).toContain(message);
  expect(text).toMatch(/shop\.test\.yaml:\d+:\d+/);
});

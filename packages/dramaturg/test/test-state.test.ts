import { expect, test } from 'vitest';
import { dramaturg } from './command.ts';

/** Runs the command on the definition that standard input gives. */
const testState = (definition: object | string, args: readonly string[] = []) =>
  dramaturg(['test-state', '-', ...args], {
    input: typeof definition === 'string' ? definition : JSON.stringify(definition),
  });

const task = {
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke',
  Catch: [{ ErrorEquals: ['Gone'], Next: 'Handle' }],
  Retry: [{ ErrorEquals: ['Busy'], IntervalSeconds: 1 }],
  Next: 'After',
};
const workflow = {
  StartAt: 'Each',
  States: {
    Each: {
      Type: 'Map',
      ItemProcessor: {
        StartAt: 'Pack',
        States: { Pack: { ...task, Catch: [], Next: undefined, End: true } },
      },
      End: true,
    },
  },
};

test('a single state succeeds and names the next state', async () => {
  expect(await testState(task, ['--mock', '{"result": {"total": 12}}'])).toEqual({
    code: 0,
    stdout: '✓ The state succeeds; the next state is "After".\n\noutput: {"total":12}\n',
    stderr: '',
  });
});

test('a definition may be YAML', async () => {
  const { stdout } = await testState('Type: Pass\nResult: 1\nEnd: true\n');
  expect(stdout).toBe('✓ The state succeeds.\n\noutput: 1\n');
});

test.each([
  [
    'Gone',
    0,
    '! The state fails, and "Handle" catches it: Gone: No answer\n\noutput: {"Error":"Gone","Cause":"No answer"}\n',
  ],
  ['Busy', 0, '! The state fails, and is retried after 1 second: Busy: No answer\n'],
  ['Lost', 4, '✗ The state fails: Lost: No answer\n'],
])('an error "%s" exits with %i', async (error, code, stdout) => {
  const mock = JSON.stringify({ errorOutput: { error, cause: 'No answer' } });
  expect(await testState(task, ['--mock', mock])).toEqual({ code, stdout, stderr: '' });
});

test('--json prints the names of AWS, and the data between fields only when asked', async () => {
  const args = [
    '--state',
    'Pack',
    '--input',
    '[1]',
    '--mock',
    '{"result": "{\\"a\\": 1}"}',
    '--json',
  ];
  const info = await testState(workflow, args);
  expect(JSON.parse(info.stdout)).toEqual({ status: 'SUCCEEDED', output: { a: 1 } });
  const debug = await testState(workflow, [...args, '--inspection', 'DEBUG']);
  expect(JSON.parse(debug.stdout)).toEqual({
    status: 'SUCCEEDED',
    output: { a: 1 },
    inspectionData: {
      input: [1],
      afterInputPath: [1],
      afterParameters: [1],
      result: { a: 1 },
      afterResultSelector: { a: 1 },
      afterResultPath: { a: 1 },
    },
  });
});

test('context, variables and configuration reach the state', async () => {
  const definition = {
    ...task,
    QueryLanguage: 'JSONata',
    Arguments: '{% [$limit, $states.context.Task.Token] %}',
  };
  const { stdout } = await testState(definition, [
    '--variables',
    '{"limit": 3}',
    '--context',
    '{"Task": {"Token": "t-1"}}',
    '--json',
    '--state-configuration',
    '{"retrierRetryCount": 2}',
    '--inspection',
    'DEBUG',
    '--mock',
    '{"errorOutput": {"error": "Busy"}}',
  ]);
  expect(JSON.parse(stdout)).toEqual({
    status: 'RETRIABLE',
    error: 'Busy',
    inspectionData: {
      input: {},
      variables: { limit: 3 },
      afterArguments: [3, 't-1'],
      errorDetails: { retryIndex: 0, retryBackoffIntervalSeconds: 4 },
    },
  });
});

test.each<[string, object, readonly string[], string]>([
  [
    'an unknown state',
    workflow,
    ['--state', 'Pck'],
    'error: There is no state "Pck" in the workflow.\nhint: Did you mean "Pack"?\n',
  ],
  [
    'no state',
    workflow,
    [],
    'error: The definition is a workflow, and the test names none of its states.\nhint: Name one of "Each" and "Pack".\n',
  ],
  [
    'no mock',
    task,
    [],
    'error: A Task state needs a mock: a test makes no calls.\nhint: Give its result, { "result": … }, or its error, { "errorOutput": { "error": …, "cause": … } }.\n',
  ],
  [
    'a result that is not JSON',
    task,
    ['--mock', '{"result": "done"}'],
    'error: The "result" of the mock is a text that is not JSON.\nhint: Write an object as it is, {"result": {"id": 1}}, and a text in double quotes, {"result": "\\"done\\""}.\n',
  ],
  [
    'variables that are a list',
    task,
    ['--variables', '[]'],
    'error: --variables is not an object.\nhint: Write it like this: {"limit": 3}\n',
  ],
])('%s is refused', async (_, definition, args, stderr) => {
  expect(await testState(definition, args)).toEqual({ code: 2, stdout: '', stderr });
});

test('a mock that is not JSON is refused with an example', async () => {
  const { code, stderr } = await testState(task, ['--mock', '{"result": 1']);
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /^error: --mock is not JSON: .*\nhint: Write it like this: --mock '\{"result": \{"total": 12\}\}', or name a file\.\n$/,
  );
});

test('mistakes in the definition are printed', async () => {
  const { code, stdout, stderr } = await testState({ Type: 'Pass', Nxt: 'After' });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('A Pass state has no field "Nxt".');
});

test('a conversation is refused', async () => {
  const { code, stderr } = await dramaturg(['test-state', 'customer-intake.plan.json']);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr:
      'error: Only the states of a workflow can be tested one by one.\nhint: Run the whole definition with: dramaturg run customer-intake.plan.json\n',
  });
});

test('a workflow inside a template is tested, with the values of its placeholders', async () => {
  const template = `AWSTemplateFormatVersion: '2010-09-09'
Transform: AWS::Serverless-2016-10-31
Resources:
  Orders:
    Type: AWS::Serverless::StateMachine
    Properties:
      DefinitionSubstitutions:
        Table: orders
      Definition:
        StartAt: Save
        States:
          Save:
            Type: Task
            Resource: arn:aws:states:::dynamodb:putItem
            Parameters:
              TableName: \${Table}
            End: true
`;
  const { stdout, stderr } = await testState(template, [
    '--state',
    'Save',
    '--mock',
    '{"result": {}}',
    '--inspection',
    'DEBUG',
    '--json',
  ]);
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toMatchObject({
    status: 'SUCCEEDED',
    inspectionData: { afterParameters: { TableName: 'orders' } },
  });
});

test('the request of an HTTP Task is shown at the level TRACE only', async () => {
  const definition = {
    Type: 'Task',
    Resource: 'arn:aws:states:::http:invoke',
    Parameters: { ApiEndpoint: 'https://example.com/orders', Method: 'GET' },
    End: true,
  };
  const shown = async (level: string) => {
    const args = ['--mock', '{"result": {"StatusCode": 200}}', '--inspection', level, '--json'];
    const { stdout } = await testState(definition, args);
    return (JSON.parse(stdout) as { inspectionData: object }).inspectionData;
  };
  expect(await shown('DEBUG')).not.toHaveProperty('request');
  expect(await shown('TRACE')).toMatchObject({
    request: { protocol: 'https', method: 'GET', url: 'https://example.com/orders' },
    response: { protocol: 'https', statusCode: '200' },
  });
});

import { check, type JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { asl } from '../../src/index.ts';

/** What `check` says about a Task with this resource, in a workflow of its own. */
function findings(Resource: string, fields: JsonObject = {}, options: JsonObject = {}): string[] {
  const definition = {
    StartAt: 'A',
    States: { A: { Type: 'Task', Resource, ...fields, End: true } },
  };
  const { diagnostics } = check(JSON.stringify(definition), { formats: [asl], options });
  return diagnostics.map(({ severity, code, hint }) => `${severity} ${code} ${hint ?? ''}`.trim());
}

const token = { Parameters: { 'token.$': '$$.Task.Token' } };
const tokenOf = (name: string) => (name.endsWith('.waitForTaskToken') ? token : {});

test.for([
  'lambda:invoke',
  'lambda:invoke.waitForTaskToken',
  'sqs:sendMessage.waitForTaskToken',
  'sns:publish.waitForTaskToken',
  'events:putEvents.waitForTaskToken',
  'apigateway:invoke.waitForTaskToken',
  'ecs:runTask.waitForTaskToken',
  'ecs:runTask.sync',
  'eks:call',
  'eks:runJob.sync',
  'batch:submitJob.sync',
  'batch:submitJob.sync:2',
  'glue:startJobRun.sync',
  'athena:startQueryExecution.sync',
  'athena:getQueryResults',
  'bedrock:invokeModel',
  'codebuild:startBuild.sync',
  'elasticmapreduce:addStep.sync',
  'emr-containers:startJobRun.sync',
  'emr-serverless:startJobRun.sync',
  'mediaconvert:createJob.sync',
  'sagemaker:createTrainingJob.sync',
  'states:startExecution',
  'states:startExecution.sync',
  'states:startExecution.sync:2',
  'states:startExecution.waitForTaskToken',
  'http:invoke',
  'aws-sdk:dynamodb:query',
  'aws-sdk:dynamodb:putItem.waitForTaskToken',
  'aws-sdk:databasemigration:startReplicationTask',
  'aws-sdk:lookoutvision:detectAnomalies',
])('AWS integrates %s', (name) => {
  expect(findings(`arn:aws:states:::${name}`, tokenOf(name))).toEqual([]);
  expect(findings(`arn:aws-us-gov:states:::${name}`, tokenOf(name))).toEqual([]);
});

test.for([
  ['sqs:sendMessage.sync', 'error asl/wrong-pattern Use ".waitForTaskToken"'],
  ['lambda:invoke.sync', 'error asl/wrong-pattern Use ".waitForTaskToken"'],
  ['glue:startJobRun.waitForTaskToken', 'error asl/wrong-pattern Use ".sync"'],
  ['dynamodb:putItem.sync', 'error asl/wrong-pattern Remove ".sync"'],
  ['dynamodb:putItem.waitForTaskToken', 'error asl/wrong-pattern Remove ".waitForTaskToken"'],
  ['athena:getQueryResults.sync', 'error asl/wrong-pattern Remove ".sync"'],
  ['http:invoke.sync:2', 'error asl/wrong-pattern Remove ".sync:2"'],
  ['aws-sdk:glue:startJobRun.sync', 'error asl/wrong-pattern Use ".waitForTaskToken"'],
  ['sqs:sendMesage', 'error asl/unknown-integration Did you mean "sendMessage"?'],
  ['dynamodb:query', 'error asl/unknown-integration Use "getItem"'],
  ['sqss:sendMessage', 'warning asl/unknown-service Did you mean "sqs"?'],
  ['Lambda:invoke', 'warning asl/unknown-service Did you mean "lambda"?'],
  [
    's3:getObject',
    'warning asl/unknown-service Use the SDK integration "arn:aws:states:::aws-sdk:s3',
  ],
  ['aws-sdk:dynamodv:query', 'warning asl/unknown-service Did you mean "dynamodb"?'],
  ['lambda', 'error asl/bad-resource'],
  ['lambda.invoke', 'error asl/bad-resource'],
  ['lambda:invoke.async', 'error asl/bad-resource'],
  ['lambda:invoke.waitForTasktoken', 'error asl/bad-resource'],
  ['states:startExecution.sync:3', 'error asl/bad-resource'],
  ['aws-sdk:s3', 'error asl/bad-resource'],
  ['aws-sdk:S3:getObject', 'error asl/bad-resource'],
  ['aws-sdk:secrets-manager:getSecretValue', 'error asl/bad-resource'],
  ['aws-sdk:s3:GetObject', 'error asl/bad-resource'],
] as const)('%s: %s', ([name, finding]) => {
  expect(findings(`arn:aws:states:::${name}`, tokenOf(name))).toEqual([
    expect.stringContaining(finding),
  ]);
});

test.for([
  'arn:aws:lambda:eu-west-1:123456789012:function:f',
  'arn:aws:states:eu-west-1:123456789012:activity:approve',
  'arn:${AWS::Partition}:states:::lambda:invoke.sync',
  'arn:aws:states:::${Service}:sendMessage.sync',
  '${TaskResource}',
])('%s is not checked against the services', (resource) => {
  expect(findings(resource)).toEqual([]);
});

test('an express workflow waits for nothing', () => {
  const options = { kind: 'express', dialect: 'amazon' };
  const waiting = 'arn:aws:states:::states:startExecution.sync:2';
  expect(findings(waiting, {}, options)).toEqual([
    expect.stringContaining('error asl/waiting-in-express'),
  ]);
  expect(findings('arn:aws:states:::states:startExecution', {}, options)).toEqual([]);
});

describe('a task that waits for its token', () => {
  const resource = 'arn:aws:states:::lambda:invoke.waitForTaskToken';

  test.for([
    { Parameters: { Payload: { 'token.$': '$$.Task.Token' } } },
    { Parameters: { list: [{ 'token.$': " $$['Task']['Token'] " }] } },
    { Parameters: { 'Payload.$': '$$' } },
    { Parameters: { 'Payload.$': '$$.Task' } },
    { Parameters: { 'Payload.$': "States.Format('{} {}', $.id, $$.Task.Token)" } },
    { Parameters: { 'Payload.$': 'States.JsonMerge($, $$, false)' } },
    { Parameters: '${Parameters}' },
    { InputPath: '$$' },
    { QueryLanguage: 'JSONata', Arguments: { token: '{% $states.context.Task.Token %}' } },
    { QueryLanguage: 'JSONata', Arguments: '{% { "t": $states.context.Task } %}' },
    { QueryLanguage: 'JSONata', Arguments: { all: '{% $states.context %}' } },
  ])('sends it in %j', (fields) => {
    expect(findings(resource, fields)).toEqual([]);
  });

  test.for([
    {},
    { Parameters: {} },
    { Parameters: { 'Payload.$': '$' } },
    { Parameters: { 'name.$': '$$.State.Name', 'of.$': '$$.Execution.Id' } },
    { QueryLanguage: 'JSONata', Arguments: { id: '{% $states.context.Execution.Id %}' } },
    { QueryLanguage: 'JSONata' },
  ])('does not send it in %j', (fields) => {
    expect(findings(resource, fields)).toEqual([
      expect.stringContaining('warning asl/missing-token Pass it on'),
    ]);
  });
});

test.for([
  ['ItemReader', 's3:getObject', true],
  ['ItemReader', 's3:listObjectsV2', true],
  ['ItemReader', 's3:listObjects', false],
  ['ItemReader', 's3:putObject', false],
  ['ItemReader', 'aws-sdk:s3:getObject', false],
  ['ItemReader', 's3:getObject.sync', false],
  ['ItemReader', '${Reader}:getObject', true],
  ['ResultWriter', 's3:putObject', true],
  ['ResultWriter', 's3:getObject', false],
] as const)('%s with %s', ([field, name, isValid]) => {
  const ItemProcessor = {
    ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'EXPRESS' },
    StartAt: 'P',
    States: { P: { Type: 'Pass', End: true } },
  };
  const part = { Resource: `arn:aws:states:::${name}`, Parameters: { Bucket: 'b', Key: 'k' } };
  const M = { Type: 'Map', ItemProcessor, [field]: part, End: true };
  const { diagnostics } = check(JSON.stringify({ StartAt: 'M', States: { M } }), {
    formats: [asl],
  });
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  expect(errors.map(({ code, path }) => `${code} ${path.join('.')}`)).toEqual(
    isValid ? [] : [`asl/bad-resource States.M.${field}.Resource`],
  );
});

test('the errors of HTTP Tasks name the status', () => {
  const retry = (name: string) => ({ Retry: [{ ErrorEquals: [name] }] });
  const http = 'arn:aws:states:::http:invoke';
  expect(findings(http, retry('States.Http.StatusCode.429'))).toEqual([]);
  expect(findings(http, retry('States.Http.Socket'))).toEqual([]);
  expect(findings(http, retry('States.Http.StatusCode.42'))).toEqual([
    expect.stringContaining('warning asl/unknown-error'),
  ]);
});

describe('a timeout that a task with a token handles needs its limit', () => {
  const resource = 'arn:aws:states:::sqs:sendMessage.waitForTaskToken';
  const handled = (...ErrorEquals: string[]) => ({
    ...token,
    Retry: [{ ErrorEquals: ['Busy'] }, { ErrorEquals }],
  });
  const absent = (field: string) =>
    `warning asl/no-timeout Add "${field}", so that the wait ends when nobody completes the task.`;

  test.for([
    [handled('States.Timeout'), [absent('TimeoutSeconds')]],
    [handled('Busy', 'States.HeartbeatTimeout'), [absent('HeartbeatSeconds')]],
    [{ ...handled('States.HeartbeatTimeout'), TimeoutSeconds: 5 }, [absent('HeartbeatSeconds')]],
    [{ ...handled('States.Timeout'), TimeoutSecondsPath: '$.s' }, []],
    [{ ...handled('States.Timeout'), HeartbeatSeconds: 5 }, []],
    [handled('States.TaskFailed'), []],
  ] as const)('%j', ([fields, found]) => {
    expect(findings(resource, fields as unknown as JsonObject)).toEqual(found);
  });

  test('a call is ended by its service', () => {
    const fields = { ...handled('States.Timeout'), Parameters: {} };
    expect(findings('arn:aws:states:::sqs:sendMessage', fields)).toEqual([]);
  });
});

test.for([
  ['arn:aws:lambda:{REGION}:123456789012:function:pay', {}, '${REGION}'],
  ['arn:aws:lambda:{Region}:${Account}:function:pay', {}, '${Region}'],
  ['arn:aws:states:::sns:publish', { Parameters: { TopicArn: '{Topic}' } }, '${Topic}'],
  ['arn:aws:states:::sns:publish', { Parameters: { Message: 'For {name}' } }, undefined],
  ['arn:aws:states:::sns:publish', { Parameters: { TopicArn: '${Topic}' } }, undefined],
  ['arn:aws:states:::sns:publish', { Parameters: { 'M.$': "States.Format('{}', $)" } }, undefined],
] as const)('a placeholder without its "$" in %s is found', ([resource, fields, meant]) => {
  expect(findings(resource, fields)).toEqual(
    meant === undefined ? [] : [`warning asl/bare-placeholder Write "${meant}".`],
  );
});

import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { counted, didYouMean, quotedList, withArticle } from '@dramaturg/compiler/text';
import type { QueryLanguage } from '../definition/field.ts';
import type { State } from '../definition/machine.ts';
import { isStateType, stateTypes } from '../kinds.ts';
import { machineFields } from '../walk.ts';
import { type FieldValidationMode, StateTestError } from './tester.ts';

/** A state of a definition. */
export interface FoundState {
  readonly name: string;
  readonly state: JsonObject;
  /** The language of the workflow, for states without a `QueryLanguage`. */
  readonly language: QueryLanguage;
  /** The Map whose machine has the state. */
  readonly map?: JsonObject;
}

/** AWS's name for the state of a definition that is only that state. */
const onlyState = 'StateName';

/**
 * Finds the state of a test: the definition itself, or the state `stateName` at any depth of a workflow.
 *
 * @throws StateTestError when there is no such state, or its type does not exist
 */
export function findState(definition: JsonObject, stateName: string | undefined): FoundState {
  const language = definition['QueryLanguage'] === 'JSONata' ? 'JSONata' : 'JSONPath';
  const isWorkflow = isRecord(definition['States']);
  const found: FoundState = isWorkflow
    ? namedState(definition, stateName, language)
    : { name: onlyState, state: definition, language };
  if (!isWorkflow && stateName !== undefined) {
    throw new StateTestError(
      'test-state/unknown-state',
      `The definition is a single state, and has no state "${stateName}".`,
      'Leave the name out, or give the whole workflow.',
    );
  }
  requireType(found);
  return found;
}

function namedState(
  workflow: JsonObject,
  wanted: string | undefined,
  language: QueryLanguage,
): FoundState {
  const names: string[] = [];
  for (const { name, state, map } of statesOf([{ machine: workflow }])) {
    if (name === wanted) return { name, state, language, ...(map && { map }) };
    names.push(name);
  }
  throw wanted === undefined
    ? new StateTestError(
        'test-state/unknown-state',
        'The definition is a workflow, and the test names none of its states.',
        `Name one of ${quotedList(names)}.`,
      )
    : new StateTestError(
        'test-state/unknown-state',
        `There is no state "${wanted}" in the workflow.`,
        didYouMean(wanted, names) ?? `The states are ${quotedList(names)}.`,
      );
}

interface PlacedState {
  readonly name: string;
  readonly state: JsonObject;
  readonly map?: JsonObject | undefined;
}

interface PlacedMachine {
  readonly machine: JsonObject;
  /** The Map around it, if any. */
  readonly map?: JsonObject | undefined;
}

/** The states of machines, and then those of the machines within them. */
function* statesOf(machines: readonly PlacedMachine[]): Generator<PlacedState> {
  const open = [...machines];
  for (const { machine, map } of open) {
    const states = machine['States'];
    for (const [name, state] of isRecord(states) ? Object.entries(states) : []) {
      if (!isRecord(state)) continue;
      yield { name, state, map };
      open.push(...machinesInside(state, map));
    }
  }
}

/** The states of the machines within a state. */
function statesInside(state: JsonObject): Generator<PlacedState> {
  return statesOf(machinesInside(state));
}

function machinesInside(state: JsonObject, map?: JsonObject): PlacedMachine[] {
  const around = state['Type'] === 'Map' ? state : map;
  return machineFields
    .flatMap((field) => state[field] ?? [])
    .filter((inside) => isRecord(inside))
    .map((machine) => ({ machine, map: around }));
}

function requireType({ name, state: { Type: type } }: FoundState): void {
  if (isStateType(type)) return;
  const near = typeof type === 'string' ? didYouMean(type, stateTypes) : undefined;
  throw new StateTestError(
    'test-state/unknown-state',
    `The state "${name}" has no known "Type".`,
    near ?? `The types are ${quotedList(stateTypes)}.`,
  );
}

/** The JSON type of a field; `json` may be anything, such as a date. */
type FieldType = 'text' | 'number' | 'list' | 'object' | 'json';

/** The fields of a result, and those that the service always gives. */
interface ResultFields {
  readonly fields: Readonly<Record<string, FieldType>>;
  readonly required: readonly string[];
}

/** A run of another state machine, for which `.sync` asks until it has ended. */
const execution: ResultFields = {
  fields: {
    ExecutionArn: 'text',
    StateMachineArn: 'text',
    Name: 'text',
    Status: 'text',
    StartDate: 'json',
    StopDate: 'json',
    // Strings with JSON after `.sync`, JSON after `.sync:2`.
    Input: 'json',
    Output: 'json',
    Error: 'text',
    Cause: 'text',
    RedriveCount: 'number',
  },
  required: ['ExecutionArn', 'StateMachineArn', 'Status', 'StartDate'],
};

const writtenItem = optional({
  Attributes: 'object',
  ConsumedCapacity: 'object',
  ItemCollectionMetrics: 'object',
});
const build = optional({ Build: 'object' });
const buildBatch = optional({ BuildBatch: 'object' });

/**
 * What the actions of AWS's services return, for `fieldValidationMode`. Actions that are not listed are not checked.
 * Spec: the API references of the services, of November 2026
 */
const results: Readonly<Record<string, ResultFields>> = {
  'athena:startQueryExecution': optional({ QueryExecutionId: 'text' }),
  'athena:getQueryExecution': optional({ QueryExecution: 'object' }),
  'athena:getQueryResults': optional({
    UpdateCount: 'number',
    ResultSet: 'object',
    NextToken: 'text',
  }),
  'batch:submitJob': {
    fields: { JobArn: 'text', JobName: 'text', JobId: 'text' },
    required: ['JobName', 'JobId'],
  },
  'bedrock:invokeModel': {
    fields: { Body: 'json', ContentType: 'text' },
    required: ['Body', 'ContentType'],
  },
  'codebuild:startBuild': build,
  'codebuild:stopBuild': build,
  'codebuild:startBuildBatch': buildBatch,
  'codebuild:retryBuildBatch': buildBatch,
  'codebuild:batchDeleteBuilds': optional({ BuildsDeleted: 'list', BuildsNotDeleted: 'list' }),
  'codebuild:batchGetReports': optional({ Reports: 'list', ReportsNotFound: 'list' }),
  'databrew:startJobRun': always({ RunId: 'text' }),
  'dynamodb:getItem': optional({ Item: 'object', ConsumedCapacity: 'object' }),
  'dynamodb:putItem': writtenItem,
  'dynamodb:updateItem': writtenItem,
  'dynamodb:deleteItem': writtenItem,
  'ecs:runTask': optional({ Tasks: 'list', Failures: 'list' }),
  'events:putEvents': optional({ FailedEntryCount: 'number', Entries: 'list' }),
  'glue:startJobRun': optional({ JobRunId: 'text' }),
  'lambda:invoke': optional({
    StatusCode: 'number',
    FunctionError: 'text',
    LogResult: 'text',
    ExecutedVersion: 'text',
    Payload: 'json',
  }),
  'mediaconvert:createJob': optional({ Job: 'object' }),
  'sagemaker:createEndpoint': always({ EndpointArn: 'text' }),
  'sagemaker:createEndpointConfig': always({ EndpointConfigArn: 'text' }),
  'sagemaker:createHyperParameterTuningJob': always({ HyperParameterTuningJobArn: 'text' }),
  'sagemaker:createLabelingJob': always({ LabelingJobArn: 'text' }),
  'sagemaker:createModel': always({ ModelArn: 'text' }),
  'sagemaker:createProcessingJob': always({ ProcessingJobArn: 'text' }),
  'sagemaker:createTrainingJob': always({ TrainingJobArn: 'text' }),
  'sagemaker:createTransformJob': always({ TransformJobArn: 'text' }),
  'sagemaker:updateEndpoint': always({ EndpointArn: 'text' }),
  'sns:publish': optional({ MessageId: 'text', SequenceNumber: 'text' }),
  'sqs:sendMessage': optional({
    MessageId: 'text',
    MD5OfMessageBody: 'text',
    MD5OfMessageAttributes: 'text',
    MD5OfMessageSystemAttributes: 'text',
    SequenceNumber: 'text',
  }),
  'states:startExecution': always({ ExecutionArn: 'text', StartDate: 'json' }),
  'states:startExecution.sync': execution,
};

function optional(fields: ResultFields['fields']): ResultFields {
  return { fields, required: [] };
}

function always(fields: ResultFields['fields']): ResultFields {
  return { fields, required: Object.keys(fields) };
}

/** The name of an integration without the version of its pattern: `states:startExecution.sync` for `.sync:2`. */
function integrationOf(resource: unknown): string | undefined {
  const pattern = /^arn:[^:]*:states:[^:]*:[^:]*:([\w-]+:\w+(?:\.\w+)?)(?::\d)?$/;
  return typeof resource === 'string' ? pattern.exec(resource)?.[1] : undefined;
}

/** @returns undefined for an integration whose result is not checked */
function resultFieldsOf(integration: string): ResultFields | undefined {
  return Object.hasOwn(results, integration) ? results[integration] : undefined;
}

const fits: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  list: (value) => Array.isArray(value),
  object: (value) => isRecord(value),
  json: () => true,
};

/**
 * Checks the result of a service's action. Fields that the service does not have are accepted, because it may get them.
 * Spec: AWS "TestState", mock validation modes
 *
 * @throws StateTestError when a required field is missing, or a field has another type
 */
function requireServiceResult(
  result: Json,
  { Resource: resource }: JsonObject,
  mode: FieldValidationMode,
): void {
  const integration = integrationOf(resource);
  const known = integration === undefined ? undefined : resultFieldsOf(integration);
  if (!known || mode === 'NONE') return;
  const subject = `result of "${integration}"`;
  if (!isRecord(result)) {
    throw wrongResult(`The ${subject} is not an object.`, 'Give what the service returns');
  }
  const missing = known.required.find((name) => !Object.hasOwn(result, name));
  if (missing !== undefined && mode === 'STRICT') {
    throw wrongResult(`The ${subject} has no "${missing}".`, 'Add it');
  }
  for (const [name, type] of Object.entries(known.fields)) {
    if (!Object.hasOwn(result, name) || fits[type](result[name])) continue;
    throw wrongResult(
      `"${name}" in the ${subject} is not ${withArticle(type)}.`,
      'Write it as the service does',
    );
  }
}

function wrongResult(message: string, hint: string): StateTestError {
  return new StateTestError(
    'test-state/wrong-mock',
    message,
    `${hint}, or set "fieldValidationMode" to "NONE".`,
  );
}

const mockFields = ['result', 'errorOutput', 'fieldValidationMode'];
/** A test of a Checkpoint saves nothing, and gives its record. */
const typesWithoutMock = new Set(['Pass', 'Choice', 'Wait', 'Succeed', 'Fail', 'Checkpoint']);
const modes = ['STRICT', 'PRESENT', 'NONE'];

/**
 * Spec: AWS "TestState", MockInput and "Mocking service integrations"
 *
 * @throws StateTestError when the state takes no mock, or the mock is not one that it could have
 */
export function requireMock(mock: unknown, authored: JsonObject, state: State): void {
  if (typesWithoutMock.has(state.Type)) {
    throw wrongMock(
      `${withArticle(state.Type, 'A')} state takes no mock: a test runs it as it is.`,
      'Leave the mock out.',
    );
  }
  const shape = 'A mock is { "result": … } or { "errorOutput": { "error": …, "cause": … } }.';
  if (!isRecord(mock)) throw wrongMock('The mock is not an object.', shape);
  for (const field of Object.keys(mock)) {
    if (mockFields.includes(field)) continue;
    throw wrongMock(`A mock has no field "${field}".`, didYouMean(field, mockFields) ?? shape);
  }
  const { result, errorOutput, fieldValidationMode: mode = 'STRICT' } = mock;
  if (!modes.includes(mode as string)) {
    throw wrongMock(
      `There is no "fieldValidationMode" ${JSON.stringify(mode)}.`,
      didYouMean(String(mode), modes) ?? `The modes are ${quotedList(modes)}.`,
    );
  }
  if ((result === undefined) === (errorOutput === undefined)) {
    throw wrongMock(
      result === undefined
        ? 'The mock has neither a result nor an error.'
        : 'The mock has both a result and an error.',
      shape,
    );
  }
  if (errorOutput !== undefined) return requireError(errorOutput);
  requireResult(result as Json, authored, state);
  requireServiceResult(result as Json, authored, mode as FieldValidationMode);
}

function requireError(errorOutput: unknown): void {
  const shape = 'Write it like { "error": "States.Timeout", "cause": "No answer" }.';
  if (!isRecord(errorOutput)) throw wrongMock('"errorOutput" is not an object.', shape);
  if (typeof errorOutput['error'] !== 'string') {
    throw wrongMock('"errorOutput" has no "error" with the name of the error.', shape);
  }
  const { cause } = errorOutput;
  if (cause !== undefined && typeof cause !== 'string') {
    throw wrongMock('The "cause" of "errorOutput" is not a text.', shape);
  }
}

/** The results of all items or branches are a list; a `ResultWriter` gives an object instead. */
function requireResult(result: Json, authored: JsonObject, { Type: type }: State): void {
  if (type === 'Map' && isRecord(authored['ResultWriter'])) {
    if (isRecord(result)) return;
    throw wrongMock(
      'The result of a Map with a "ResultWriter" is an object.',
      'Give what the writer returns, such as { "ResultWriterDetails": { "Bucket": …, "Key": … } }.',
    );
  }
  if (type !== 'Map' && type !== 'Parallel') return;
  if (!Array.isArray(result)) {
    throw wrongMock(
      `The result of ${withArticle(type)} is a list.`,
      type === 'Map'
        ? 'Give the output of each item, in order.'
        : 'Give the output of each branch, in order.',
    );
  }
  const { Branches: branches } = authored;
  if (type === 'Parallel' && Array.isArray(branches) && branches.length !== result.length) {
    throw wrongMock(
      `The mock has ${counted(result.length, 'result')} for ${counted(branches.length, 'branch')}.`,
      'Give the output of each branch, in order.',
    );
  }
}

function wrongMock(message: string, hint: string): StateTestError {
  return new StateTestError('test-state/wrong-mock', message, hint);
}

/** The fields of a configuration, each with its rule. Spec: AWS "TestState", TestStateConfiguration */
const rules: Readonly<Record<string, FieldRule>> = {
  retrierRetryCount: (count) => requireCount('retrierRetryCount', count),
  mapIterationFailureCount(count, { name, state: { Type: type }, map }, hasMock) {
    requireCount('mapIterationFailureCount', count);
    if (type !== 'Map' && !map) {
      throw wrong(
        `"mapIterationFailureCount" is for a Map, and "${name}" is none.`,
        'Leave it out, or test the Map.',
      );
    }
    if (!hasMock) {
      throw wrong(
        '"mapIterationFailureCount" needs a mock.',
        'Give the result of the Map, { "result": [ … ] }.',
      );
    }
  },
  mapItemReaderData(_, { name, state }) {
    if (state['Type'] === 'Map' && isRecord(state['ItemReader'])) return;
    throw wrong(
      `"mapItemReaderData" is for a Map with an "ItemReader", and "${name}" has none.`,
      'Leave it out, and give the items in the input.',
    );
  },
  errorCausedByState(cause, { name, state }) {
    const names = [...statesInside(state)].map((inside) => inside.name);
    if (names.length === 0) {
      throw wrong(
        `"errorCausedByState" is for a Map or a Parallel: "${name}" has no states within it.`,
        'Leave it out.',
      );
    }
    if (names.some((inside) => inside === cause)) return;
    const given = typeof cause === 'string' ? cause : JSON.stringify(cause);
    throw wrong(
      `There is no state "${given}" within "${name}".`,
      didYouMean(given, names) ?? `The states within it are ${quotedList(names)}.`,
    );
  },
};

/** @throws StateTestError when the state cannot have the value */
type FieldRule = (value: unknown, found: FoundState, hasMock: boolean) => void;

/** @throws StateTestError when the state cannot have such a configuration */
export function requireConfiguration(
  configuration: unknown,
  found: FoundState,
  hasMock: boolean,
): void {
  const fields = Object.keys(rules);
  const known = `Its fields are ${quotedList(fields)}.`;
  if (!isRecord(configuration)) throw wrong('The configuration is not an object.', known);
  for (const [field, value] of Object.entries(configuration)) {
    if (!Object.hasOwn(rules, field)) {
      throw wrong(`The configuration has no field "${field}".`, didYouMean(field, fields) ?? known);
    }
    if (value !== undefined) rules[field]!(value, found, hasMock);
  }
}

function requireCount(field: string, count: unknown): void {
  if (Number.isSafeInteger(count) && Number(count) >= 0) return;
  throw wrong(`"${field}" is not a whole number from 0 on.`, 'Write it like 2, without quotes.');
}

function wrong(message: string, hint: string): StateTestError {
  return new StateTestError('test-state/wrong-configuration', message, hint);
}

import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { counted, didYouMean, quotedList, withArticle } from '@dramaturg/compiler/text';
import type { State } from '../definition/index.ts';
import { type FieldType, integrationOf, resultFieldsOf } from './result-fields.ts';
import { StateTestError } from './state-test-error.ts';
import type { FieldValidationMode } from './tester.ts';

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

import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { counted, didYouMean, quotedList, withArticle } from '@dramaturg/compiler/text';
import type { State } from '../definition/index.ts';
import { requireServiceResult } from './require-result.ts';
import { StateTestError } from './state-test-error.ts';
import type { FieldValidationMode } from './tester.ts';

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

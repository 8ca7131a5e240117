import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { withArticle } from '@dramaturg/compiler/text';
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
export function requireServiceResult(
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

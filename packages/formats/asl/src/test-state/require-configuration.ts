import { isRecord } from '@dramaturg/compiler';
import { didYouMean, quotedList } from '@dramaturg/compiler/text';
import { type FoundState, statesInside } from './find-state.ts';
import { StateTestError } from './state-test-error.ts';

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

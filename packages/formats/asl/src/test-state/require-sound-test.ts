import { isRecord } from '@dramaturg/compiler';
import { didYouMean, quotedList } from '@dramaturg/compiler/text';
import type { State } from '../definition/index.ts';
import type { FoundState } from './find-state.ts';
import { requireConfiguration } from './require-configuration.ts';
import { requireMock } from './require-mock.ts';
import type { StateTest } from './state-test.ts';
import { StateTestError } from './state-test-error.ts';

/**
 * Checks what a test gives beside the state: it may come from a file or a command line.
 *
 * @throws StateTestError
 */
export function requireSoundTest(test: StateTest, found: FoundState, state: State): void {
  const { mock, context, configuration } = test;
  if (mock !== undefined) requireMock(mock, found.state, state);
  if (context !== undefined) requireContext(context);
  if (configuration !== undefined) requireConfiguration(configuration, found, mock !== undefined);
}

const contextFields = ['Execution', 'State', 'StateMachine', 'Task', 'Map'];

function requireContext(context: unknown): void {
  const wrong = (message: string, hint: string) =>
    new StateTestError('test-state/wrong-context', message, hint);
  const shape = `A context is an object with ${quotedList(contextFields)}, each an object.`;
  if (!isRecord(context)) throw wrong('The context is not an object.', shape);
  for (const [field, value] of Object.entries(context)) {
    if (!contextFields.includes(field)) {
      throw wrong(
        `The context object has no field "${field}".`,
        didYouMean(field, contextFields) ?? shape,
      );
    }
    if (!isRecord(value)) throw wrong(`"${field}" of the context is not an object.`, shape);
  }
}

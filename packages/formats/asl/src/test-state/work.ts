import { withArticle } from '@dramaturg/compiler/text';
import type { Program } from '../behaviour/program.ts';
import type { Run } from '../flow/run.ts';
import { StateTestError } from './state-test-error.ts';
import { type Ended, endWith, type Mock, type StateTester } from './tester.ts';

/** Tests a state with calls or nested machines: a mock replaces them. */
export const testWork: StateTester = (program, run, { mock }) => {
  const { flow } = program;
  flow.prepare(run, flow.select(run));
  if (mock?.result !== undefined) run.inspect?.('result', mock.result);
  return mockedWork(program, run, mock);
};

/** @throws StateTestError when there is no mock */
export function mockedWork({ flow, state }: Program, run: Run, mock: Mock | undefined): Ended {
  if (mock?.errorOutput) {
    return { error: mock.errorOutput.error, cause: mock.errorOutput.cause ?? null };
  }
  if (mock?.result === undefined) {
    throw new StateTestError(
      'test-state/wrong-mock',
      `${withArticle(state.Type, 'A')} state needs a mock: a test makes no calls.`,
      'Give its result, { "result": … }, or its error, { "errorOutput": { "error": …, "cause": … } }.',
    );
  }
  return endWith(flow.finish(run, mock.result), state);
}

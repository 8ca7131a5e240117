import { withArticle } from '@dramaturg/compiler';
import type { Program } from '../behaviour/program.ts';
import type { Run } from '../flow/run.ts';
import { type Ended, endWith, type Mock, type StateTester } from './tester.ts';

/** Tests a state with calls or nested machines: a mock replaces them. */
export const testWork: StateTester = (program, run, { mock }) => {
  const { flow } = program;
  flow.prepare(run, flow.select(run));
  return mockedWork(program, run, mock);
};

/** @throws Error when there is no mock */
export function mockedWork({ flow, state }: Program, run: Run, mock: Mock | undefined): Ended {
  if (mock?.errorOutput) {
    return { error: mock.errorOutput.error ?? null, cause: mock.errorOutput.cause ?? null };
  }
  if (mock?.result === undefined) {
    throw new Error(
      `${withArticle(state.Type, 'A')} state needs a mock: its result, or the error that it fails with.`,
    );
  }
  run.inspect?.('result', mock.result);
  return endWith(flow.finish(run, mock.result), state);
}

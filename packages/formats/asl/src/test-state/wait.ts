import type { WaitProgram } from '../flow/wait.ts';
import { endWith, type StateTester } from './tester.ts';

export const testWait: StateTester<WaitProgram> = ({ flow, state, waitUntil }, run) => {
  waitUntil(run, flow.select(run));
  return endWith(flow.pass(run), state);
};

import type { FailProgram } from '../flow/fail.ts';
import type { StateTester } from './tester.ts';

export const testFail: StateTester<FailProgram> = ({ flow, failure }, run) =>
  failure(run, flow.select(run));

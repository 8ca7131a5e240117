import type { StateTester } from './tester.ts';

export const testSucceed: StateTester = ({ flow }, run) => ({
  ...flow.pass(run),
  nextState: undefined,
});

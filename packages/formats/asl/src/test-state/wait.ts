import { leading, type StateTester } from './tester.ts';

export const testWait: StateTester = ({ flow, state, wait }, run) => {
  wait!(run, flow.select(run));
  return leading(flow.pass(run), state);
};

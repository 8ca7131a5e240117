import type { StateTester } from './tester.ts';

export const testFail: StateTester = ({ flow, fail }, run) => fail!(run, flow.select(run));

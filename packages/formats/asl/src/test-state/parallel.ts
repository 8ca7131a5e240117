import type { StateTester } from './tester.ts';
import { mockedWork } from './work.ts';

/** AWS shows the data of a Parallel only after its result. */
export const testParallel: StateTester = (program, run, { mock }) => {
  const { inspect: _, ...unseen } = run;
  program.flow.prepare(unseen, program.flow.select(unseen));
  return mockedWork(program, run, mock);
};

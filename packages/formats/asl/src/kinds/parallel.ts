import { parallelBehaviour } from '../behaviour/parallel.ts';
import { parallelWays } from '../check/flow/parallel.ts';
import { parallelRules } from '../check/parallel.ts';
import { parallelDefinition, type Parallel } from '../definition/parallel.ts';
import { parallelNode } from '../lower/parallel.ts';
import { readParallel } from '../normalise/parallel.ts';
import type { StateTester } from '../test-state/tester.ts';
import { mockedWork } from '../test-state/work.ts';
import type { Kind } from './kind.ts';

/** AWS shows the data of a Parallel only after its result. */
const testParallel: StateTester = (program, run, { mock }) => {
  const { inspect: _, ...unseen } = run;
  program.flow.prepare(unseen, program.flow.select(unseen));
  return mockedWork(program, run, mock);
};

export const parallel: Kind<Parallel> = {
  definition: parallelDefinition,
  read: readParallel,
  rules: parallelRules,
  ways: parallelWays,
  node: parallelNode,
  behaviour: parallelBehaviour,
  test: testParallel,
};

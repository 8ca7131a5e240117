import { parallelBehaviour } from '../behaviour/parallel.ts';
import { parallelRules } from '../check/parallel.ts';
import { parallelWays } from '../check/flow/parallel.ts';
import { parallelDefinition, type Parallel } from '../definition/parallel.ts';
import { parallelNode } from '../lower/parallel.ts';
import { readParallel } from '../normalise/parallel.ts';
import { testParallel } from '../test-state/parallel.ts';
import type { Kind } from './kind.ts';

export const parallel: Kind<Parallel> = {
  definition: parallelDefinition,
  read: readParallel,
  rules: parallelRules,
  ways: parallelWays,
  node: parallelNode,
  behaviour: parallelBehaviour,
  test: testParallel,
};

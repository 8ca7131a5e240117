import { passBehaviour } from '../behaviour/pass.ts';
import { passWays } from '../check/flow/pass.ts';
import { passDefinition, type Pass } from '../definition/pass.ts';
import { compilePass } from '../flow/pass.ts';
import { passNode } from '../lower/pass.ts';
import { readPass } from '../normalise/pass.ts';
import { testPass } from '../test-state/pass.ts';
import type { Kind } from './kind.ts';

export const pass: Kind<Pass> = {
  definition: passDefinition,
  read: readPass,
  rules: [],
  ways: passWays,
  node: passNode,
  compile: compilePass,
  behaviour: passBehaviour,
  test: testPass,
};

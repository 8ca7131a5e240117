import { succeedBehaviour } from '../behaviour/succeed.ts';
import { succeedWays } from '../check/flow/succeed.ts';
import { succeedDefinition, type Succeed } from '../definition/succeed.ts';
import { succeedNode } from '../lower/succeed.ts';
import { readSucceed } from '../normalise/succeed.ts';
import type { StateTester } from '../test-state/tester.ts';
import type { Kind } from './kind.ts';

const testSucceed: StateTester = ({ flow }, run) => ({
  ...flow.pass(run),
  nextState: undefined,
});

export const succeed: Kind<Succeed> = {
  definition: succeedDefinition,
  read: readSucceed,
  rules: [],
  ways: succeedWays,
  node: succeedNode,
  behaviour: succeedBehaviour,
  test: testSucceed,
};

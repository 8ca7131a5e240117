import { failBehaviour } from '../behaviour/fail.ts';
import { failRules } from '../check/fail.ts';
import { failWays } from '../check/flow/fail.ts';
import { failDefinition, type Fail } from '../definition/fail.ts';
import { compileFail, type FailProgram } from '../flow/fail.ts';
import { failNode } from '../lower/fail.ts';
import { readFail } from '../normalise/fail.ts';
import type { StateTester } from '../test-state/tester.ts';
import type { Kind } from './kind.ts';

const testFail: StateTester<FailProgram> = ({ flow, failure }, run) =>
  failure(run, flow.select(run));

export const fail: Kind<Fail, FailProgram> = {
  definition: failDefinition,
  read: readFail,
  rules: failRules,
  ways: failWays,
  node: failNode,
  compile: compileFail,
  behaviour: failBehaviour,
  test: testFail,
};

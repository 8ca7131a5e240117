import { waitBehaviour } from '../behaviour/wait.ts';
import { waitWays } from '../check/flow/wait.ts';
import { waitRules } from '../check/wait.ts';
import { waitDefinition, type Wait } from '../definition/wait.ts';
import { compileWait, type WaitProgram } from '../flow/wait.ts';
import { waitNode } from '../lower/wait.ts';
import { readWait } from '../normalise/wait.ts';
import { endWith, type StateTester } from '../test-state/tester.ts';
import type { Kind } from './kind.ts';

const testWait: StateTester<WaitProgram> = ({ flow, state, waitUntil }, run) => {
  waitUntil(run, flow.select(run));
  return endWith(flow.pass(run), state);
};

export const wait: Kind<Wait, WaitProgram> = {
  definition: waitDefinition,
  read: readWait,
  rules: waitRules,
  ways: waitWays,
  node: waitNode,
  compile: compileWait,
  behaviour: waitBehaviour,
  test: testWait,
};

import { waitBehaviour } from '../behaviour/wait.ts';
import { waitRules } from '../check/wait.ts';
import { waitWays } from '../check/flow/wait.ts';
import { waitDefinition, type Wait } from '../definition/wait.ts';
import { compileWait, type WaitProgram } from '../flow/wait.ts';
import { waitNode } from '../lower/wait.ts';
import { readWait } from '../normalise/wait.ts';
import { testWait } from '../test-state/wait.ts';
import type { Kind } from './kind.ts';

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

import { waitBehaviour } from '../behaviour/wait.ts';
import { waitRules } from '../check/wait.ts';
import { waitDefinition, type Wait } from '../definition/wait.ts';
import { compileWait } from '../flow/wait.ts';
import { waitNode } from '../lower/wait.ts';
import { readWait } from '../normalise/wait.ts';
import { testWait } from '../test-state/wait.ts';
import type { Kind } from './kind.ts';

export const wait: Kind<Wait> = {
  definition: waitDefinition,
  read: readWait,
  rules: waitRules,
  node: waitNode,
  compile: (state, dialect) => ({ wait: compileWait(state, dialect) }),
  behaviour: waitBehaviour,
  test: testWait,
};

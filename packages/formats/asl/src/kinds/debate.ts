import { debateBehaviour } from '../behaviour/debate.ts';
import { debateRules } from '../check/debate.ts';
import { debateWays } from '../check/flow/debate.ts';
import { debateDefinition } from '../definition/debate.ts';
import type { Debate } from '../definition/index.ts';
import { compileDebate, type DebateProgram } from '../flow/debate.ts';
import { debateNode } from '../lower/debate.ts';
import { readDebate } from '../normalise/debate.ts';
import { testWork } from '../test-state/work.ts';
import type { Kind } from './kind.ts';

export const debateKind: Kind<Debate, DebateProgram> = {
  definition: debateDefinition,
  read: readDebate,
  rules: debateRules,
  ways: debateWays,
  node: debateNode,
  compile: compileDebate,
  behaviour: debateBehaviour,
  test: testWork,
};

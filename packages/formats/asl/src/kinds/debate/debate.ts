import { debateDefinition } from '../../definition/debate.ts';
import type { Debate } from '../../definition/index.ts';
import { testWork } from '../../test-state/work.ts';
import type { Kind } from '../kind.ts';
import { debateBehaviour } from './behaviour.ts';
import { debateNode } from './lowering.ts';
import { compileDebate, type DebateProgram } from './program.ts';
import { readDebate } from './reading.ts';
import { debateRules } from './rules.ts';
import { debateWays } from './ways.ts';

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

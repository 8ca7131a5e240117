import { approvalBehaviour } from './behaviour.ts';
import { approvalRules } from './rules.ts';
import { approvalWays } from './ways.ts';
import { approvalDefinition } from '../../definition/approval.ts';
import type { Approval } from '../../definition/index.ts';
import { compileApproval, type ApprovalProgram } from './program.ts';
import { approvalNode } from './lowering.ts';
import { readApproval } from './reading.ts';
import { testApproval } from './test.ts';
import type { Kind } from '../kind.ts';

export const approvalKind: Kind<Approval, ApprovalProgram> = {
  definition: approvalDefinition,
  read: readApproval,
  rules: approvalRules,
  ways: approvalWays,
  node: approvalNode,
  compile: compileApproval,
  behaviour: approvalBehaviour,
  test: testApproval,
};

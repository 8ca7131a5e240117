import { approvalDefinition } from '../../definition/approval.ts';
import type { Approval } from '../../definition/index.ts';
import type { Kind } from '../kind.ts';
import { approvalBehaviour } from './behaviour.ts';
import { approvalNode } from './lowering.ts';
import { compileApproval, type ApprovalProgram } from './program.ts';
import { readApproval } from './reading.ts';
import { approvalRules } from './rules.ts';
import { testApproval } from './test.ts';
import { approvalWays } from './ways.ts';

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

import { approvalBehaviour } from '../behaviour/approval.ts';
import { approvalRules } from '../check/approval.ts';
import { approvalWays } from '../check/flow/approval.ts';
import { approvalDefinition } from '../definition/approval.ts';
import type { Approval } from '../definition/index.ts';
import { compileApproval, type ApprovalProgram } from '../flow/approval.ts';
import { approvalNode } from '../lower/approval.ts';
import { readApproval } from '../normalise/approval.ts';
import { testApproval } from '../test-state/approval.ts';
import type { Kind } from './kind.ts';

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

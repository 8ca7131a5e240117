import type { Behaviour } from '@dramaturg/compiler/machine';
import { compileProgram } from '../compile-program.ts';
import { kinds } from '../kinds.ts';
import { agentRole } from './agent-role.ts';
import { identity } from './identity.ts';
import { migration } from './migration.ts';
import { composed } from './part.ts';
import { compileProgramsWith } from './program.ts';
import { reasons } from './reasons.ts';
import { retryBehaviour } from './retry.ts';
import { sharedSpendingBehaviour } from './shared-spending.ts';
import { standing } from './standing.ts';
import { stateBehaviour } from './state.ts';
import { workflowBehaviour } from './workflow.ts';

compileProgramsWith(compileProgram);

/** The code behind the names in the charts of workflows. */
export const behaviour = {
  identity,
  agent: agentRole,
  migration,
  standing,
  reasons,
  ...composed(
    workflowBehaviour,
    stateBehaviour,
    retryBehaviour,
    sharedSpendingBehaviour,
    ...Object.values(kinds).map((kind) => kind.behaviour),
  ),
} satisfies Behaviour;

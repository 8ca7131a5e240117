import type { Behaviour } from '@dramaturg/compiler';
import { compileProgram } from '../compile-program.ts';
import { agentRole } from './agent-role.ts';
import { approvalBehaviour } from './approval.ts';
import { checkpointBehaviour } from './checkpoint.ts';
import { choiceBehaviour } from './choice.ts';
import { debateBehaviour } from './debate.ts';
import { failBehaviour } from './fail.ts';
import { identity } from './identity.ts';
import { includeBehaviour } from './include.ts';
import { mapBehaviour } from './map.ts';
import { parallelBehaviour } from './parallel.ts';
import { composed } from './part.ts';
import { passBehaviour } from './pass.ts';
import { compileProgramsWith } from './program.ts';
import { recoveryBehaviour } from './recovery.ts';
import { stateBehaviour } from './state.ts';
import { subworkflowBehaviour } from './subworkflow.ts';
import { succeedBehaviour } from './succeed.ts';
import { taskBehaviour } from './task.ts';
import { waitBehaviour } from './wait.ts';
import { workflowBehaviour } from './workflow.ts';

compileProgramsWith(compileProgram);

/** The code behind the names in the charts of workflows. */
export const behaviour = {
  independentRegions: true,
  identity,
  agent: agentRole,
  ...composed(
    workflowBehaviour,
    stateBehaviour,
    recoveryBehaviour,
    taskBehaviour,
    choiceBehaviour,
    mapBehaviour,
    parallelBehaviour,
    passBehaviour,
    waitBehaviour,
    succeedBehaviour,
    failBehaviour,
    approvalBehaviour,
    debateBehaviour,
    checkpointBehaviour,
    includeBehaviour,
    subworkflowBehaviour,
  ),
} satisfies Behaviour;

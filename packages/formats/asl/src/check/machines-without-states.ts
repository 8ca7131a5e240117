import { isRecord } from '@dramaturg/compiler';
import { noStates } from '../diagnostics/structure.ts';
import { machinesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** Reports machines without states. Spec: Agent 1, states-language.net/spec.html#toplevelfields */
export const machinesWithoutStates: WorkflowRule = ({ definition, report }) => {
  for (const { authored, at } of machinesOf(definition)) {
    const states = authored['States'];
    if (isRecord(states) && Object.keys(states).length === 0) report(noStates(), [...at, 'States']);
  }
};

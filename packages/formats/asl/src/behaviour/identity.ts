import type { Identity } from '@dramaturg/compiler/machine';
import type { WorkflowContext } from '../context.ts';
import type { SharedByItems } from './workflow.ts';

/** The id of a run is that of its execution, which the machines of its items share. */
export const identity: Identity<WorkflowContext | SharedByItems> = {
  of: ({ execution }) => execution.id,
  renamed: (value, id) => ({ ...value, execution: { ...value.execution, id } }),
};

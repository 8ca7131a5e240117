import type { Identity } from '@dramaturg/compiler';
import type { WorkflowContext } from '../context.ts';
import type { ItemInput } from './workflow.ts';

/** The id of a run is that of its execution, which the machines of its items share. */
export const identity: Identity<WorkflowContext | ItemInput> = {
  of: (value) => executionOf(value).id,
  renamed: (value, id) => {
    const execution = { ...executionOf(value), id };
    return isItem(value) ? { ...value, of: { ...value.of, execution } } : { ...value, execution };
  },
};

function executionOf(value: WorkflowContext | ItemInput) {
  return isItem(value) ? value.of.execution : value.execution;
}

function isItem(value: WorkflowContext | ItemInput): value is ItemInput {
  return !('execution' in value);
}

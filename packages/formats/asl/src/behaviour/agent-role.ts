import { isRecord } from '@dramaturg/compiler';
import type { AgentRole } from '@dramaturg/compiler/machine';
import type { WorkflowInput, WorkflowOutput } from '../events.ts';

/** A workflow as an agent of another definition: its data is the input of the call, and its failure fails the call. */
export const agentRole: AgentRole = {
  input: (input, caller) => {
    const { context } = caller as WorkflowInput;
    // The requestor of a run is also the requestor of the runs within it.
    const requestor = isRecord(context?.Execution) ? context.Execution['Requestor'] : undefined;
    return {
      input,
      ...(typeof requestor === 'string' && { context: { Execution: { Requestor: requestor } } }),
    };
  },
  ending: (output) => {
    const ended = output as unknown as WorkflowOutput;
    return ended.status === 'succeeded'
      ? { result: ended.output }
      : { error: ended.error ?? 'States.TaskFailed', cause: ended.cause ?? '' };
  },
};

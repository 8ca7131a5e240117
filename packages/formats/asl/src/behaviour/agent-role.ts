import { type AgentRole, isRecord } from '@dramaturg/compiler';
import type { WorkflowInput, WorkflowOutput } from '../events.ts';

/** A workflow as an agent: what it is called with are its data, and it fails the call as it has failed. */
export const agentRole: AgentRole = {
  input: (input, caller) => {
    const { context } = caller as WorkflowInput;
    // Who has asked for a run has asked for those within it.
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

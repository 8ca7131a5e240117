import { type AgentRole, isRecord } from '@dramaturg/compiler';
import type { WorkflowInput, WorkflowOutput } from '../events.ts';

/** A workflow as an agent: what it is called with are its data, and it fails the call as it has failed. */
export const agent: AgentRole = {
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
    const { usage: sum } = ended;
    // How often a model was asked, and for what, is in the journal of the run.
    const used = sum && {
      requests: 0,
      inputTokens: 0,
      outputTokens: Math.round(sum.tokens),
      cost: sum.cost,
    };
    const usage = used ? { usage: used } : {};
    return ended.status === 'succeeded'
      ? { result: ended.output, ...usage }
      : { error: ended.error ?? 'States.TaskFailed', cause: ended.cause ?? '', ...usage };
  },
};

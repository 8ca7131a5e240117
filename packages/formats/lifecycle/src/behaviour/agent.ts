import { isRecord } from '@dramaturg/compiler';
import type { AgentRole } from '@dramaturg/compiler/machine';
import type { LifecycleOutput } from '../events.ts';

/**
 * A lifecycle as an agent: events move its instance, and its end answers the call. Its input takes the known fields of the call's
 * data.
 */
export const agent: AgentRole = {
  input: (input) => {
    const { heartbeat_config, todos } = isRecord(input) ? input : {};
    return {
      ...(heartbeat_config === undefined ? {} : { heartbeat_config }),
      ...(todos === undefined ? {} : { todos }),
    };
  },
  ending: (output) => {
    const { failure_reason, cancel_reason, instance, state } = output as unknown as LifecycleOutput;
    if (failure_reason === null) return { result: output };
    const reasons = [failure_reason, cancel_reason].filter((reason) => reason !== null);
    const cause = `"${instance}" ended in ${state}: ${reasons.join('. ')}`;
    return { error: 'States.TaskFailed', cause };
  },
};

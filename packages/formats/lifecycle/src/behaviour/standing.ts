import { isRecord } from '@dramaturg/compiler';
import type { AgentRole, Standing } from '@dramaturg/compiler/machine';
import type { LifecycleContext } from '../context.ts';
import type { LifecycleOutput } from '../events.ts';
import { acceptedIn } from './scope.ts';

/** Describes an instance for people: why it has failed, and the events that its state accepts. */
export const standing: Standing<LifecycleContext> = {
  failure: ({ failure_reason: reason, cancel_reason: words }) =>
    reason === null
      ? undefined
      : { error: null, cause: words === null ? reason : `${reason}: ${words}` },
  visit: ({ state }, { meta }) => ({ accepts: acceptedIn(meta, state).map(({ event }) => event) }),
};

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

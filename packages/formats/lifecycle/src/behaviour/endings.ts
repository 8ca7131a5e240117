import { reasonOf } from './message.ts';
import type { LifecycleAction } from './scope.ts';

/** Why an instance has ended or waits for a person, and the count of its follow-ups. */

type Reason = { readonly reason?: string };

const recordEnd: LifecycleAction<Reason> = ({ event }, { reason }) => ({
  context: { end_reason: reason ?? reasonOf(event) },
});

const recordHelp: LifecycleAction<Reason> = ({ event }, { reason }) => ({
  context: { intervention_reason: reason ?? reasonOf(event) },
});

/** Keeps the operator's own words in addition to a fixed reason such as "cancelled". */
const recordFailure: LifecycleAction<Reason> = ({ event }, { reason }) => ({
  context:
    reason === undefined
      ? { failure_reason: reasonOf(event) ?? 'unknown' }
      : { failure_reason: reason, cancel_reason: reasonOf(event) },
});

const countFollowUp: LifecycleAction = ({ context }) => ({
  context: { follow_up_count: context.follow_up_count + 1 },
});

const resetFollowUps: LifecycleAction = () => ({ context: { follow_up_count: 0 } });

const emit: LifecycleAction<{ event: string }> = ({ context }, { event }) => ({
  emit: [{ type: event, instance: context.instance, state: context.state }],
});

export const endingActions = {
  recordEnd,
  recordHelp,
  recordFailure,
  countFollowUp,
  resetFollowUps,
  emit,
};

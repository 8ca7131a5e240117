import type { Standing } from '@dramaturg/compiler/machine';
import type { LifecycleContext } from '../context.ts';
import { acceptedIn } from './scope.ts';

/** Describes an instance for people: why it has failed, and the events that its state accepts. */
export const standing: Standing<LifecycleContext> = {
  failure: ({ failure_reason: reason, cancel_reason: words }) =>
    reason === null
      ? undefined
      : { error: null, cause: words === null ? reason : `${reason}: ${words}` },
  visit: ({ state }, { meta }) => ({ accepts: acceptedIn(meta, state).map(({ event }) => event) }),
};

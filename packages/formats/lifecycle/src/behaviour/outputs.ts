import type { LifecycleContext } from '../context.ts';
import type { LifecycleOutput } from '../events.ts';

/** The actor's output, which is also the last event it emits. */
export function result({ context }: { readonly context: LifecycleContext }): LifecycleOutput {
  const { instance, state, end_reason, failure_reason, cancel_reason } = context;
  const { follow_up_count, turn_counter: turns, todos } = context;
  return {
    instance,
    state,
    end_reason,
    failure_reason,
    cancel_reason,
    follow_up_count,
    turns,
    todos,
  };
}

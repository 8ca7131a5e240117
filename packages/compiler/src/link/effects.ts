/* oxlint-disable typescript/no-explicit-any -- XState's own types of these are not exported. */
import { type ActorScope, emit, type EventObject as AnyEvent, raise, sendTo } from 'xstate';
import type { Effects, EventObject, Scope } from './behaviour.ts';

export type AnyScope = ActorScope<any, any, any>;

/**
 * An XState action that makes its decision when its turn comes, and carries it out. It is built like XState's own actions:
 * `resolve` returns the next snapshot and the actions that follow. Actions made of `assign` and `enqueueActions` would compute
 * the state's value and tags again for each changed context, which is most of the cost of a step. Events are deferred as by
 * XState's own action, but together: XState removes deferred effects from the front of a list one by one.
 */
export function actionOf(
  decide: (scope: Pick<Scope, 'context' | 'event'>, params: unknown) => Effects,
): unknown {
  const resolve = (scope: AnyScope, snapshot: any, { context, event }: any, params: unknown) => {
    const {
      context: patch,
      raise: raised = [],
      emit: emitted = [],
      send = [],
    } = decide({ context, event }, params);
    const next = patch ? { ...snapshot, context: { ...context, ...patch } } : snapshot;
    const actions: unknown[] = raised.map((each) => raise(each as never));
    // Emitted events keep their place among sent events.
    if (send.length > 0) for (const each of emitted) actions.push(emit(each as AnyEvent));
    else if (emitted.length > 0) emitLater(emitted, scope);
    for (const { to, event: sent } of send) actions.push(sendTo(to, sent as never));
    return [next, undefined, actions];
  };
  return Object.assign(() => {}, { type: 'decide', resolve });
}

/** Emits after the step of the actor. */
function emitLater(emits: readonly EventObject[], scope: AnyScope): void {
  scope.defer(() => {
    for (const emitted of emits) scope.emit(emitted);
  });
}

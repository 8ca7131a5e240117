/* oxlint-disable typescript/no-explicit-any -- XState's own types of these are not exported. */
import { type ActorScope, emit, type EventObject as AnyEvent, raise, sendTo } from 'xstate';
import type { Effects, EventObject, Scope } from './behaviour.ts';

export type AnyScope = ActorScope<any, any, any>;

/** What one XState action carries out. */
interface Decision {
  /** Replaces these fields of the context. */
  readonly patch?: object | undefined;
  /** Everything else, in order; their own fields of the context are part of the patch. */
  readonly effects: readonly Effects[];
}

/**
 * An XState action that carries out what is decided when it is its turn. It is built as XState builds its own, with a
 * `resolve` that answers with the next snapshot and with actions that follow, because those made of `assign` and
 * `enqueueActions` work out the state's value and tags again for each changed context, which is most of what a step costs.
 * Events are deferred as by XState's own action, but together: XState removes deferred effects from the front of a list
 * one by one, and a run through 25,000 states spent four seconds there.
 */
export function actionOf(
  decide: (scope: Pick<Scope, 'context' | 'event'>, params: unknown) => Decision,
): unknown {
  const resolve = (scope: AnyScope, snapshot: any, { context, event }: any, params: unknown) => {
    const { patch, effects } = decide({ context, event }, params);
    const next = patch ? { ...snapshot, context: { ...context, ...patch } } : snapshot;
    // Among events that are sent, what is emitted keeps its place.
    const isSending = effects.some(({ send }) => send && send.length > 0);
    const emits = isSending ? [] : effects.flatMap(({ emit: emitted }) => emitted ?? []);
    if (emits.length > 0) emitLater(emits, scope);
    return [next, undefined, actionsOf(effects, isSending)];
  };
  return Object.assign(() => {}, { type: 'decide', resolve });
}

function actionsOf(effects: readonly Effects[], isSending: boolean): unknown[] {
  const actions: unknown[] = [];
  for (const { raise: raised = [], emit: emitted = [], send = [] } of effects) {
    for (const event of raised) actions.push(raise(event as never));
    if (isSending) for (const event of emitted) actions.push(emit(event as AnyEvent));
    for (const { to, event } of send) actions.push(sendTo(to, event as never));
  }
  return actions;
}

/** Emits after the step of the actor. */
function emitLater(emits: readonly EventObject[], scope: AnyScope): void {
  scope.defer(() => {
    for (const emitted of emits) scope.emit(emitted);
  });
}

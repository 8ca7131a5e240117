import { enqueueActions } from 'xstate';
import type { Effects, EventObject, Scope } from './behaviour.ts';
import type { AnyScope, Turn } from './machine.ts';

/** What one XState action carries out. */
interface Decision {
  /** Replaces these fields of the context. */
  readonly patch?: object | undefined;
  /** Everything else, in order; their own fields of the context are part of the patch. */
  readonly effects: readonly Effects[];
}

/**
 * An XState action that carries out what is decided when it is its turn. The dearest part is a changed context, because
 * XState then makes a new snapshot: so there is one patch, and none when nothing changes. Emitting is put off as XState's
 * own action does it, but all at once: XState takes what is put off from the front of a list, one by one, and a run
 * through 25,000 states spent four seconds there.
 */
export function actionOf(
  decide: (scope: Pick<Scope, 'context' | 'event'>, params: unknown) => Decision,
  turn: Turn,
): unknown {
  return enqueueActions(({ context, event, enqueue }, params) => {
    const { patch, effects } = decide({ context, event }, params);
    if (patch) enqueue.assign(patch);
    // Among events that are sent, what is emitted keeps its place.
    const scope = effects.some(({ send }) => send && send.length > 0) ? undefined : turn.scope;
    const emits = effects.flatMap(({ emit }) => emit ?? []);
    if (scope && emits.length > 0) putOff(emits, scope);
    for (const { raise = [], emit = [], send = [] } of effects) {
      for (const raised of raise) enqueue.raise(raised);
      for (const emitted of scope ? [] : emit) enqueue.emit(emitted);
      for (const { to, event: sent } of send) enqueue.sendTo(to, sent);
    }
  });
}

/** Emits once the actor has taken its step. */
export function putOff(emits: readonly EventObject[], scope: AnyScope): void {
  scope.defer(() => {
    for (const emitted of emits) scope.emit(emitted);
  });
}

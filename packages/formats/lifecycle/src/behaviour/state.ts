import type { EventObject } from '@dramaturg/compiler';
import type { LifecycleContext } from '../context.ts';
import type { LifecycleOutput } from '../events.ts';
import { reasonOf } from './message.ts';
import { type LifecycleAction, raised, stateMeta } from './scope.ts';
import { stopped, timerOnEntry } from './timer.ts';

/** The actions of every state, independent of the table: entering, leaving and raising an event. */

/**
 * Enters a state. Keeps the interrupted timer and turn during a pause, and for the state that the pause leads back to.
 * Re-entering the current state emits no event.
 */
const enter: LifecycleAction<{ state: string }> = (scope, { state }) => {
  const { context, meta } = scope;
  const own = stateMeta(meta, state)!;
  const from = context.state;
  const isSame = from === state;
  const isFromPause = stateMeta(meta, from)?.returns === true;
  const isBack = isFromPause && context.previous_state === state;
  const keepsFrozen = own.returns === true || isBack || isSame;
  const isTerminal = own.kind === 'terminal';
  const patch: Partial<LifecycleContext> = {
    state,
    came_from: from === '' ? null : from,
    ...pauseOf(context, {
      returns: own.returns === true,
      isFromPause,
      holds: own.holds_contact !== false && !isTerminal,
    }),
    // A continued timer is no longer frozen; an interrupted turn is frozen until another begins.
    ...(keepsFrozen && !(own.timer && !context.frozen?.turn) ? {} : { frozen: null }),
    ...(own.timer ? timerOnEntry(scope, own.timer, isBack) : {}),
    ...(isTerminal
      ? {
          heartbeat_override_ms: null,
          ...(context.heartbeat_override_at ? { heartbeat_override_at: null } : {}),
          frozen: null,
          inbox_count: 0,
        }
      : {}),
  };
  const after = { ...context, ...patch };
  const emit: EventObject[] = [];
  if (!isSame) {
    emit.push({
      type: 'state.entered',
      state,
      kind: own.kind,
      ...(from === '' ? {} : { from }),
      holds_contact: after.holds_contact,
    });
  }
  const isDueNow = own.timer?.settle && after.timer!.due_at <= scope.world.now();
  if (own.timer && !isDueNow && after.timer!.due_at !== context.frozen?.timer?.due_at) {
    const { event } = own.timer;
    emit.push({ type: 'timer.scheduled', state, event, at: after.timer!.due_at });
  }
  if (isTerminal) emit.push({ type: 'instance.ended', ...result({ context: after }) });
  return { context: patch, emit };
};

/** A pause holds the contact if the interrupted state held it. */
function pauseOf(
  context: LifecycleContext,
  {
    returns,
    isFromPause,
    holds,
  }: { readonly returns: boolean; readonly isFromPause: boolean; readonly holds: boolean },
): Pick<LifecycleContext, 'previous_state' | 'holds_contact'> {
  if (!returns) return { previous_state: null, holds_contact: holds };
  const { state, previous_state, holds_contact } = context;
  // A second pause in a row leads back to the state before the first pause.
  return { previous_state: isFromPause ? previous_state : state, holds_contact };
}

/** Stops the timer and the turn. Messages of an unfinished turn wait for the next turn. */
const leave: LifecycleAction = ({ context, world }) => {
  const { timer, turn, inbox_count, frozen } = context;
  if (!timer && !turn) return frozen ? { context: { frozen: null } } : {};
  const isAborted = turn !== null && !turn.ended;
  return {
    context: {
      timer: null,
      turn: null,
      frozen: {
        timer: timer && stopped(timer, world.now()),
        turn: isAborted ? { kind: turn.kind, sent: turn.sent } : null,
      },
      ...(isAborted ? { inbox_count: turn.message_count + inbox_count } : {}),
    },
    ...(isAborted ? { emit: [{ type: 'turn.aborted', turn: turn.id }] } : {}),
  };
};

/** Raises an event of the table, with the reason from the agent or from the current event. */
const raise: LifecycleAction<{ event: string }> = ({ context, event }, { event: type }) => {
  const reason = context.turn?.reason ?? reasonOf(event);
  return { raise: [raised(type, reason === null ? {} : { reason })] };
};

export const stateActions = { enter, leave, raise };

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

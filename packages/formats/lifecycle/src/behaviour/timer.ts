import { isRecord, type PortInput } from '@dramaturg/compiler';
import type { Frozen, LifecycleContext, Timer } from '../context.ts';
import type { QuietWindow, TimerPolicy } from '../definition.ts';
import { allowedFrom, dueAfter, readAfter } from '../times.ts';
import {
  type LifecycleAction,
  type LifecycleScope,
  type StateMeta,
  stateMeta,
  timesOf,
  zoneOf,
} from './scope.ts';

/**
 * The timer of a state: a call of the port `timer` with an absolute time, so it survives a restart. Owns `timer` and
 * `timers` of the context; `enter` and `leave` in state.ts apply the results of the functions here.
 *
 *     none → set (a state is entered) → frozen (it is left) → set (a pause leads back to it) or none
 */

/** The input of the current state's timer, once `enter` has set it. */
export function timer({ context }: LifecycleScope): PortInput<'timer'> {
  const { instance, timers, timer: set } = context;
  return { key: `${instance}/timer-${timers}`, at: set!.due_at };
}

/**
 * The timer of a state that is entered. A timer that a pause has stopped continues as the policy says; any other timer is new.
 * The agent's chosen delay is used for one new timer.
 */
export function timerOnEntry(
  scope: LifecycleScope,
  { after_ms, settle, resume }: NonNullable<StateMeta['timer']>,
  isBack: boolean,
): Partial<LifecycleContext> & Pick<LifecycleContext, 'timer'> {
  const { context, world } = scope;
  const { timers, frozen } = context;
  const set = { timers: timers + 1 };
  if (settle) {
    const due_at = Math.max(quietAt(context, settle), world.now());
    return { ...set, timer: { delay_ms: due_at - world.now(), due_at } };
  }
  if (context.timer) return { ...set, timer: context.timer };
  const now = world.now();
  if (isBack && frozen?.timer)
    return { ...set, timer: settled(scope, continued(frozen.timer, resume, now), after_ms) };
  if (after_ms !== undefined)
    return { ...set, timer: { delay_ms: after_ms, due_at: now + after_ms } };
  const next = settled(scope, heartbeat(scope, now));
  const { heartbeat_override_at: at } = context;
  return {
    ...set,
    timer: next,
    heartbeat_override_ms: null,
    ...(at && { heartbeat_override_at: null }),
  };
}

/** When the contact will have been quiet for long enough, if no further message comes. */
export function quietAt(
  { inbox_at = { first: 0, last: 0 } }: Pick<LifecycleContext, 'inbox_at'>,
  { quiet_ms, most_ms }: QuietWindow,
): number {
  return Math.min(inbox_at.last + quiet_ms, inbox_at.first + most_ms);
}

/** The next heartbeat: as the agent has chosen, by the list of reminders, or after the interval. */
function heartbeat(scope: LifecycleScope, now: number): Timer {
  const { context } = scope;
  const { heartbeat_override_at: at, heartbeat_override_ms: override, heartbeat_config } = context;
  if (at) return { delay_ms: Math.max(0, at - now), due_at: Math.max(at, now), chosen: true };
  if (override !== null) return { delay_ms: override, due_at: now + override, chosen: true };
  const times = timesOf(scope);
  const { reminders = [] } = times;
  // After the last reminder, the instance waits for the same time again before it gives up.
  const next = reminders[Math.min(context.follow_up_count, reminders.length - 1)];
  const after = next && readAfter(next.after);
  const delay_ms = after
    ? dueAfter(now, after, times, zoneOf(scope)) - now
    : heartbeat_config.interval_ms;
  return { delay_ms, due_at: now + delay_ms };
}

/**
 * Delays a heartbeat until the end of quiet hours, and until working hours unless its time was chosen. Other timers are not
 * delayed.
 */
function settled(scope: LifecycleScope, set: Timer, after_ms?: number): Timer {
  if (after_ms !== undefined) return set;
  const { due_at, chosen } = set;
  return { ...set, due_at: allowedFrom(due_at, timesOf(scope), zoneOf(scope), chosen) };
}

/** Whether a due timer may raise its event now: it may be late, because the host was down. */
export function mayFire(scope: LifecycleScope): boolean {
  const { context, meta, world } = scope;
  const now = world.now();
  const { after_ms } = stateMeta(meta, context.state)?.timer ?? {};
  return settled(scope, { ...context.timer!, due_at: now }, after_ms).due_at === now;
}

/** The three ways to continue after an interruption. Spec: docs/formats/lifecycle.md#policies */
function continued(
  { delay_ms, due_at, remaining_ms, chosen }: NonNullable<Frozen['timer']>,
  policy: TimerPolicy,
  now: number,
): Timer {
  const due = { deadline: due_at, remaining: now + remaining_ms, restart: now + delay_ms }[policy];
  return { delay_ms, due_at: due, ...(chosen && { chosen }) };
}

/** The timer at the moment when its state is left. */
export function stopped(set: Timer, now: number): NonNullable<Frozen['timer']> {
  // If the clock was set back, the wait does not become longer.
  return { ...set, remaining_ms: Math.min(Math.max(0, set.due_at - now), set.delay_ms) };
}

/** Keeps the timer when its state is entered again. A late timer waits for the end of quiet hours. */
export const keepTimer: LifecycleAction = (scope) => {
  const { context, meta, world } = scope;
  const { timer: set = null } = context.frozen ?? {};
  if (!set) return {};
  const { remaining_ms: _, ...kept } = set;
  const due_at = Math.max(kept.due_at, world.now());
  const { after_ms } = stateMeta(meta, context.state)?.timer ?? {};
  const isLate = due_at > kept.due_at;
  return { context: { timer: isLate ? settled(scope, { ...kept, due_at }, after_ms) : kept } };
};

/** Continues the timer after a restart of the host. The remaining time counts from the moment when the host was last alive. */
export const recoverTimer: LifecycleAction<{ restart: TimerPolicy }> = (scope, { restart }) => {
  const { context, event, meta, world } = scope;
  const { timer: set = null } = context.frozen ?? {};
  if (!set) return {};
  const now = world.now();
  const { stopped_at } = event;
  const last = typeof stopped_at === 'number' && Number.isFinite(stopped_at) ? stopped_at : now;
  const next = continued(stopped(set, Math.min(last, now)), restart, now);
  const { after_ms } = stateMeta(meta, context.state)?.timer ?? {};
  return { context: { timer: settled(scope, next, after_ms) } };
};

/** Without its timer, the state waits only for other events, until the instance is recovered. */
export const timerFailed: LifecycleAction = ({ event }) => {
  const { error } = event;
  const fields = isRecord(error) ? error : {};
  return {
    emit: [
      {
        type: 'timer.failed',
        code: typeof fields['code'] === 'string' ? fields['code'] : 'port/failed',
        message: error instanceof Error ? error.message : String(fields['message'] ?? error),
      },
    ],
  };
};

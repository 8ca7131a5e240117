import type { PortInput } from '@dramaturg/compiler';
import { isRecord } from '@dramaturg/compiler';
import type { Frozen, LifecycleContext, Timer } from '../context.ts';
import type { QuietWindow, TimerPolicy } from '../definition.ts';
import type { LifecycleAction, LifecycleScope, StateMeta } from './scope.ts';

/**
 * The timer of a state: a call of the port `timer` with an absolute time, so it survives a restart. Owns `timer` and
 * `timers` of the context; `enter` and `leave` in state.ts apply what the functions here return.
 *
 *     none → set (a state is entered) → frozen (it is left) → set (a pause leads back to it) or none
 */

/** Asks for the timer of the present state, once `enter` has set it. */
export function timer({ context }: LifecycleScope): PortInput<'timer'> {
  const { instance, timers, timer: set } = context;
  return { key: `${instance}/timer-${timers}`, at: set!.due_at };
}

/**
 * The timer of a state that is entered: one that a pause has stopped goes on as the policy says, any other is new. The
 * delay that the agent has chosen is for one new timer.
 */
export function timerOnEntry(
  { context, world }: LifecycleScope,
  { after_ms, settle, resume }: NonNullable<StateMeta['timer']>,
  isBack: boolean,
): Pick<LifecycleContext, 'timer' | 'timers' | 'heartbeat_override_ms'> {
  const { timers, heartbeat_config, heartbeat_override_ms: override, frozen } = context;
  const set = { timers: timers + 1, heartbeat_override_ms: override };
  if (settle) {
    const due_at = Math.max(quietAt(context, settle), world.now());
    return { ...set, timer: { delay_ms: due_at - world.now(), due_at } };
  }
  if (context.timer) return { ...set, timer: context.timer };
  if (isBack && frozen?.timer)
    return { ...set, timer: continued(frozen.timer, resume, world.now()) };
  const delay_ms = after_ms ?? override ?? heartbeat_config.interval_ms;
  return {
    ...set,
    timer: { delay_ms, due_at: world.now() + delay_ms },
    ...(after_ms === undefined ? { heartbeat_override_ms: null } : {}),
  };
}

/** When the contact has been quiet for long enough, as far as is known now. */
export function quietAt(
  { inbox_at = { first: 0, last: 0 } }: Pick<LifecycleContext, 'inbox_at'>,
  { quiet_ms, most_ms }: QuietWindow,
): number {
  return Math.min(inbox_at.last + quiet_ms, inbox_at.first + most_ms);
}

/** The three ways to go on after an interruption. Spec: docs/formats/lifecycle.md#policies */
function continued(
  { delay_ms, due_at, remaining_ms }: NonNullable<Frozen['timer']>,
  policy: TimerPolicy,
  now: number,
): Timer {
  switch (policy) {
    case 'deadline':
      return { delay_ms, due_at };
    case 'remaining':
      return { delay_ms, due_at: now + remaining_ms };
    case 'restart':
      return { delay_ms, due_at: now + delay_ms };
  }
}

/** The timer at the moment its state is left. */
export function stopped(set: Timer, now: number): NonNullable<Frozen['timer']> {
  // A clock that was set back does not make a wait longer than it was.
  return { ...set, remaining_ms: Math.min(Math.max(0, set.due_at - now), set.delay_ms) };
}

/** Keeps the timer when its state is entered again. */
export const keepTimer: LifecycleAction = ({ context }) => {
  const { timer: set = null } = context.frozen ?? {};
  return set ? { context: { timer: { delay_ms: set.delay_ms, due_at: set.due_at } } } : {};
};

/** Continues the timer after a restart of the host. The remaining time counts from when the host was last alive. */
export const recoverTimer: LifecycleAction<{ restart: TimerPolicy }> = (
  { context, event, world },
  { restart },
) => {
  const { timer: set = null } = context.frozen ?? {};
  if (!set) return {};
  const now = world.now();
  const { stopped_at } = event;
  const last = typeof stopped_at === 'number' && Number.isFinite(stopped_at) ? stopped_at : now;
  return { context: { timer: continued(stopped(set, Math.min(last, now)), restart, now) } };
};

/** Without its timer the state waits for other events only, until the instance is recovered. */
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

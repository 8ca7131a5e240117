import type { World } from '@dramaturg/compiler/machine';
import type { Dialect, Retrier, State } from '../definition/index.ts';
import { dialects } from '../dialect.ts';
import type { Failure } from './run.ts';

/** The reaction to an error; undefined when no retrier or catcher names it. */
export type Recovery =
  | { readonly retrier: number; readonly delay: number }
  | { readonly catcher: number }
  | undefined;

/** An error of ours: the host has reached a limit. A retry would only wait, so no retrier applies. */
export const limitReached = 'States.LimitReached';

/**
 * The retrier that names the error first tries again until its own attempts are used up; then the first catcher that
 * names it takes over. Spec: Agent 8, Amazon #retrying-after-error, Amazon #fallback-states
 *
 * @param attempts how often each retrier has already tried again during this visit
 * @param lastDelay in milliseconds, of the retry before this one
 */
export function recoveryOf(
  state: State,
  failure: Failure,
  attempts: readonly number[],
  lastDelay: number | undefined,
  dialect: Dialect,
  world: World,
): Recovery {
  const { Retry: retriers, Catch: catchers } = state;
  if (!retriers || !catchers) return undefined;
  const retrier = retrierOf(state, failure, dialect);
  if (retrier !== undefined) {
    const attempt = (attempts[retrier] ?? 0) + 1;
    const policy = retriers[retrier]!;
    if (attempt <= policy.MaxAttempts) {
      return { retrier, delay: delayOf(policy, attempt, lastDelay, world) };
    }
  }
  const catcher = catchers.findIndex(({ ErrorEquals: names }) => isNamed(names, failure, dialect));
  return catcher >= 0 ? { catcher } : undefined;
}

/** The first retrier that names the error, whether or not it has attempts left. */
export function retrierOf(
  { Retry: retriers = [] }: State,
  failure: Failure,
  dialect: Dialect,
): number | undefined {
  if (failure.error === limitReached) return undefined;
  const found = retriers.findIndex(({ ErrorEquals: names }) => isNamed(names, failure, dialect));
  return found < 0 ? undefined : found;
}

function isNamed(
  names: readonly string[],
  { error, isSilence }: Failure,
  dialect: Dialect,
): boolean {
  const { runtimeIsFatal, sameErrors } = dialects[dialect];
  if (runtimeIsFatal && error === 'States.Runtime') return false;
  const synonyms = sameErrors.find((same) => error !== null && same.includes(error));
  return names.some((name) => {
    if (name === error || (synonyms?.includes(name) ?? false)) return true;
    if (name === 'States.ALL') return true;
    if (name === 'States.TaskFailed') return error !== 'States.Timeout';
    return name === 'States.HeartbeatTimeout' && isSilence === true;
  });
}

/** Milliseconds before a retry; `attempt` is 1 for the first. */
function delayOf(
  policy: Retrier,
  attempt: number,
  lastDelay: number | undefined,
  world: World,
): number {
  const base = policy.IntervalSeconds * 1000;
  const most = policy.MaxDelaySeconds === undefined ? longest : policy.MaxDelaySeconds * 1000;
  const grown = Math.min(base * policy.BackoffRate ** (attempt - 1), most);
  switch (policy.JitterStrategy) {
    case 'NONE':
      return grown;
    case 'FULL':
      return world.random() * grown;
    case 'DECORRELATED': {
      const upper = (lastDelay ?? base) * 3;
      return Math.min(base + world.random() * Math.max(upper - base, 0), most);
    }
  }
}

/** A hundred years: repeated backoff must not exceed the range of dates. */
const longest = 100 * 365 * 24 * 3600 * 1000;

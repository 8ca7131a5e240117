/** An instant by the monotonic clock, which time changes do not affect, and by the time of day, which goes on during a suspension. */
export interface Instant {
  readonly monotonicMs: number;
  readonly timeOfDayMs: number;
}

export function instant(): Instant {
  return { monotonicMs: performance.now(), timeOfDayMs: Date.now() };
}

/** The longer of both measurements: a doubt costs one renewal. */
export function elapsedMs({ monotonicMs, timeOfDayMs }: Instant): number {
  return Math.max(performance.now() - monotonicMs, Math.abs(Date.now() - timeOfDayMs));
}

import { badRequest } from '../errors.ts';

/** When ended instances are erased. */
export interface RetentionPolicy {
  /** Milliseconds after the end of an instance. `Infinity` keeps it. */
  readonly afterMs: number;
  /** Other times for single definitions, by name. */
  readonly byDefinition?: Readonly<Record<string, number>>;
}

/** The time for a definition, in milliseconds. */
export function retentionOf(
  { afterMs, byDefinition = {} }: RetentionPolicy,
  definition: string,
): number {
  return Object.hasOwn(byDefinition, definition) ? byDefinition[definition]! : afterMs;
}

export function timesOf({ afterMs, byDefinition = {} }: RetentionPolicy): number[] {
  return [afterMs, ...Object.values(byDefinition)];
}

/** @throws HostError `host/bad-request` */
export function requireTimes(policy: RetentionPolicy): void {
  const bad = timesOf(policy).filter((time) => !(typeof time === 'number' && time >= 0));
  if (bad.length === 0) return;
  throw badRequest(
    `The retention "${String(bad[0])}" is not a number of milliseconds. Write { afterMs: 2_592_000_000 } for 30 days, or Infinity to keep instances.`,
  );
}

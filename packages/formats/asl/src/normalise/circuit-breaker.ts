import type { PortInput } from '@dramaturg/compiler';
import { parseDuration } from '../data/timestamp.ts';
import { optionalNumber, optionalObject, optionalString } from './fields.ts';

/** The circuit of a call; undefined without a circuit breaker. */
export function readCircuit(written: unknown): PortInput<'runAgent'>['circuit'] {
  const fields = optionalObject(written);
  if (!fields || fields['Enabled'] === false) return undefined;
  return {
    failures: optionalNumber(fields['FailureThreshold']) ?? 5,
    successes: optionalNumber(fields['SuccessThreshold']) ?? 1,
    timeout: parseDuration(optionalString(fields['Timeout']) ?? '30s') ?? 30_000,
  };
}

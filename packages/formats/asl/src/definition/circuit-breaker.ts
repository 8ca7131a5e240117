import * as z from 'zod';
import { flag, positiveCount, text } from './field.ts';

/** Tutorial 11 §Circuit breaker */
export const circuitBreaker = z.object({
  Enabled: flag.optional(),
  /** How many failures in a row open the circuit; 5 when left out. */
  FailureThreshold: positiveCount.optional(),
  /** How many successes close it again; 1 when left out. */
  SuccessThreshold: positiveCount.optional(),
  /** How long no call is made, such as `30s`, the default. */
  Timeout: text.optional(),
});

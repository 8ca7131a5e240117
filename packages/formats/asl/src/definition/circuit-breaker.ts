import * as z from 'zod/mini';
import { flag, positiveCount, text } from './field.ts';

/** Tutorial 11 §Circuit breaker */
export const circuitBreaker = z.object({
  Enabled: z.optional(flag).check(z.describe('Whether the circuit breaker applies.')),
  FailureThreshold: z
    .optional(positiveCount)
    .check(z.describe('How many failures in a row open the circuit; 5 when left out.')),
  SuccessThreshold: z
    .optional(positiveCount)
    .check(z.describe('How many successes close it again; 1 when left out.')),
  Timeout: z
    .optional(text)
    .check(z.describe('How long no call is made, such as `30s`, the default.')),
});

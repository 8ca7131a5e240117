import * as z from 'zod';
import { flag, positiveCount, text } from './field.ts';

/** Tutorial 11 §Circuit breaker */
export const circuitBreaker = z.object({
  Enabled: flag.optional().describe('Whether the circuit breaker applies.'),
  FailureThreshold: positiveCount
    .optional()
    .describe('How many failures in a row open the circuit; 5 when left out.'),
  SuccessThreshold: positiveCount
    .optional()
    .describe('How many successes close it again; 1 when left out.'),
  Timeout: text.optional().describe('How long no call is made, such as `30s`, the default.'),
});

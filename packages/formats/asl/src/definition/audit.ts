import * as z from 'zod/mini';
import { flag, text } from './field.ts';

const levels = ['minimal', 'standard', 'full', 'debug'] as const;
const metrics = ['latency', 'tokens', 'cost'] as const;

/** Agent 5 §Audit */
export const audit = z.object({
  LogLevel: z
    .optional(z.enum(levels))
    .check(z.describe('How much the record of the state tells; `standard` when left out.')),
  Redact: z.optional(z.array(text)).check(z.describe('Paths of data that no event may show.')),
  Metrics: z.optional(z.array(z.enum(metrics))).check(z.describe('What is measured.')),
  Trace: z.optional(flag).check(z.describe('Has no effect yet.')),
});

export interface Audit {
  readonly level: (typeof levels)[number];
  readonly metrics: readonly (typeof metrics)[number][];
}

import * as z from 'zod';
import { flag, text } from './field.ts';

const levels = ['minimal', 'standard', 'full', 'debug'] as const;
const metrics = ['latency', 'tokens', 'cost'] as const;

/** Agent 5 §Audit */
export const audit = z.object({
  LogLevel: z
    .enum(levels)
    .optional()
    .describe('How much the record of the state tells; `standard` when left out.'),
  Redact: z.array(text).optional().describe('Paths of data that no event may show.'),
  Metrics: z.array(z.enum(metrics)).optional().describe('What is measured.'),
  Trace: flag.optional().describe('Has no effect yet.'),
});

export interface Audit {
  readonly level: (typeof levels)[number];
  readonly metrics: readonly (typeof metrics)[number][];
}

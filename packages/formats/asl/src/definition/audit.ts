import * as z from 'zod';
import { flag, text } from './field.ts';

const levels = ['minimal', 'standard', 'full', 'debug'] as const;
const metrics = ['latency', 'tokens', 'cost'] as const;

/** Agent 5 §Audit */
export const audit = z.object({
  /** How much the record of the state tells; `standard` when left out. */
  LogLevel: z.enum(levels).optional(),
  /** Paths of data that no event may show. */
  Redact: z.array(text).optional(),
  /** What is measured. */
  Metrics: z.array(z.enum(metrics)).optional(),
  Trace: flag.optional(),
});

export interface Audit {
  readonly level: (typeof levels)[number];
  readonly metrics: readonly (typeof metrics)[number][];
}

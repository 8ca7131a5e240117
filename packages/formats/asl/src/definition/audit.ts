import * as z from 'zod/mini';
import { optional, flag, text } from './field.ts';

const levels = ['minimal', 'standard', 'full', 'debug'] as const;
const metrics = ['latency', 'tokens', 'cost'] as const;

/** Agent 5 §Audit */
export const audit = z.object({
  LogLevel: optional(
    z.enum(levels),
    'How much the record of the state tells; `standard` when left out.',
  ),
  Redact: optional(z.array(text), 'Paths of data that no event may show.'),
  Metrics: optional(z.array(z.enum(metrics)), 'What is measured.'),
  Trace: optional(flag, 'Has no effect yet.'),
});

export interface Audit {
  readonly level: (typeof levels)[number];
  readonly metrics: readonly (typeof metrics)[number][];
}

import { z } from 'zod';
import { scopeSchema } from '../access/scopes.ts';

/** The JSON of the operators' desk. Spec: docs/service.md#the-desk */

const time = z.number();
const count = z.number().int();

export const queueName = z.enum(['needsPerson', 'decisions', 'failed', 'paused']);

export const owner = z.object({ by: z.string(), until: time });

export const note = z.object({ by: z.string(), at: time, text: z.string() });

/** The fields of an instance that say what people have to do with it. */
export const attention = {
  queue: queueName.optional(),
  waitingSince: time.optional(),
};

export const me = z.object({
  /** Null where no token is asked for: then a request names its author in `by`. */
  name: z.string().nullable(),
  roles: z.array(z.string()),
  /** Also those that `admin` covers. */
  scopes: z.array(scopeSchema),
});

export const queues = z.object({
  needsPerson: count,
  decisions: count,
  failed: count,
  paused: count,
  all: count,
});

import { actKinds } from '@dramaturg/host/engine';
import * as z from 'zod';
import { scopeSchema } from '../access/scopes.ts';
import { pageOf, time } from './fields.ts';

/** The JSON of the operators' desk. Spec: docs/service.md#the-desk */

const count = z.number().int();

export const queueName = z.enum(['needsPerson', 'decisions', 'failed', 'paused', 'setAside']);

export const owner = z.object({ by: z.string(), until: time });

export const note = z.object({ by: z.string(), at: time, text: z.string() });

/** The fields of an instance about the work that it has for people. */
export const attention = {
  queue: queueName.optional(),
  waitingSince: time.optional(),
};

export const me = z.object({
  /** Null if no token is required: then a request names its author in `by`. */
  name: z.string().nullable(),
  roles: z.array(z.string()),
  /** All scopes, including those that `admin` implies. */
  scopes: z.array(scopeSchema),
  /** The address of the inspector, for operators. */
  inspector: z.string().optional(),
});

export const queues = z.object({
  needsPerson: count,
  decisions: count,
  failed: count,
  paused: count,
  setAside: count,
  all: count,
});

export const draft = z.object({ text: z.string() });

/** A page of a search can have few rows, or none, and a next page. */
export const inbox = pageOf(
  z.object({
    id: z.string(),
    contact: z.string().optional(),
    definition: z.object({ name: z.string(), version: z.string() }),
    state: z.string(),
    ended: z.boolean(),
    /** The current states, in the words of the author. */
    place: z.string(),
    lastLine: z
      .object({
        role: z.enum(['agent', 'contact', 'manual', 'system']),
        text: z.string(),
        at: time,
        by: z.string().optional(),
      })
      .optional(),
    ...attention,
    owner: owner.optional(),
    decisionsOpen: z.number(),
    failure: z.object({ message: z.string(), code: z.string().nullable() }).optional(),
    createdAt: time,
    updatedAt: time,
    dueAt: time.optional(),
    parent: z.string().optional(),
  }),
);

export const acts = pageOf(
  z.object({
    at: time,
    by: z.string().nullable(),
    act: z.enum(actKinds),
    instance: z.string(),
    contact: z.string().optional(),
    decision: z.string().optional(),
    option: z.string().optional(),
    text: z.string().optional(),
  }),
);

import * as z from 'zod';
import { json, time } from './fields.ts';

const count = z.number();

const statePosition = {
  path: z.array(z.object({ state: z.string(), item: count.optional(), branch: count.optional() })),
  position: z.object({ line: z.number(), column: z.number() }).optional(),
};

const failure = { error: z.string().nullable(), cause: z.string().nullable() };

const common = {
  ...statePosition,
  source: z.enum(['lifecycle', 'flow']),
  since: time.optional(),
  timeoutAt: time.optional(),
  heartbeatAt: time.optional(),
};

const wait = z.discriminatedUnion('for', [
  z.object({
    ...common,
    for: z.literal('call'),
    key: z.string(),
    port: z.string(),
    name: z.string().optional(),
    heartbeatToken: z.string().optional(),
    instance: z.string().optional(),
  }),
  z.object({ ...common, for: z.literal('token'), token: z.string() }),
  z.object({ ...common, for: z.literal('decision'), id: z.string(), prompt: z.string() }),
  z.object({ ...common, for: z.literal('timer'), key: z.string(), at: time }),
  z.object({ ...common, for: z.literal('retry'), at: time, attempt: count, ...failure }),
  z.object({
    ...common,
    for: z.literal('items'),
    total: count,
    waiting: count,
    running: count,
    failed: count,
  }),
  z.object({ ...common, for: z.literal('message') }),
  z.object({ ...common, for: z.literal('event'), events: z.array(z.string()) }),
]);

/** The fields of an instance that say what it was given, what came of it, and what it waits for. */
export const standing = {
  input: json,
  collected: z.record(z.string(), json).optional(),
  output: json.optional(),
  failure: z.object({ ...failure, state: z.object(statePosition).optional() }).optional(),
  timeoutAt: time.optional(),
  states: z.array(z.object(statePosition)),
  waits: z.array(wait),
};

export const itemStatus = z.enum(['waiting', 'running', 'succeeded', 'failed', 'stopped']);

export const itemFields = {
  status: itemStatus,
  path: statePosition.path,
  id: z.string().optional(),
  name: z.string().optional(),
  input: json,
  output: json.optional(),
  failure: z.object({ ...failure, state: z.object(statePosition).optional() }).optional(),
  startedAt: time.optional(),
  stoppedAt: time.optional(),
  states: z.array(z.object(statePosition)),
};

import { isRecord, type JsonObject, type PortName, portSchemas } from '@dramaturg/compiler';
import { z } from 'zod';
import { thrown } from './recorded-error.ts';

/**
 * The lines of a recording, each a JSON object. What the run has asked (`call`, `now`, `random`, `uuid`) and what came to
 * it from outside (all others) stand in the order in which they happened. Spec: docs/recording.md
 */

/** The version of the file's form. */
export const formVersion = 1;

export const header = z.strictObject({
  type: z.literal('recording'),
  version: z.int(),
  /** The name of the format of the definition. */
  format: z.string(),
  /** The version of the chart: the same chart is the same version. */
  chart: z.string(),
  /** The input of the actor. */
  input: z.custom<JsonObject>(isRecord),
});

export const portNames = Object.keys(portSchemas) as [PortName, ...PortName[]];
const port = z.enum(portNames);
const call = { port, key: z.string() };

export const entry = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('now'), value: z.number() }),
  z.strictObject({ type: z.literal('random'), value: z.number().min(0).lt(1) }),
  z.strictObject({ type: z.literal('uuid'), value: z.uuid() }),
  z.strictObject({ type: z.literal('call'), ...call, input: z.unknown() }),
  /** A part of the text while it was made. */
  z.strictObject({ type: z.literal('text'), ...call, text: z.string() }),
  z.strictObject({ type: z.literal('answer'), ...call, output: z.unknown() }),
  z.strictObject({ type: z.literal('failure'), ...call, thrown }),
  /** The person's next line; `left` is that there will be none any more. */
  z.strictObject({ type: z.literal('said'), text: z.string() }),
  z.strictObject({ type: z.literal('left') }),
  /** An event that somebody outside has sent. */
  z.strictObject({ type: z.literal('event'), event: z.looseObject({ type: z.string() }) }),
  /** Whoever ran it has broken it off. */
  z.strictObject({ type: z.literal('stopped') }),
  z.strictObject({ type: z.literal('end') }),
]);

export type Header = z.infer<typeof header>;
export type Entry = z.infer<typeof entry>;
export type Read = Extract<Entry, { type: 'now' | 'random' | 'uuid' }>;
export type Call = Extract<Entry, { type: 'call' }>;
/** What comes to a run from outside. */
export type Happening = Exclude<Entry, Read | Call>;

export function isRead({ type }: Entry): boolean {
  return type === 'now' || type === 'random' || type === 'uuid';
}

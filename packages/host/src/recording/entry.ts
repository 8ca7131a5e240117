import { isRecord, type JsonObject, type PortName, portSchemas } from '@dramaturg/compiler';
import * as z from 'zod/mini';
import { recordedError } from './recorded-error.ts';

/**
 * The lines of a recording, each a JSON object, in the order in which they happened: requests of the run (`call`, `now`,
 * `random`, `uuid`) and inputs from outside (all others). Spec: docs/recording.md
 */

/** The version of the file's form. */
export const formVersion = 1;

export const header = z.strictObject({
  type: z.literal('recording'),
  version: z.int(),
  /** The name of the format of the definition. */
  format: z.string(),
  /** The version of the chart. Equal charts have equal versions. */
  chart: z.string(),
  /** The person whom the recording is about, so that an erase finds it. */
  contact: z.optional(z.string()),
  /** The input of the actor. */
  input: z.custom<JsonObject>(isRecord),
});

export const portNames = Object.keys(portSchemas) as [PortName, ...PortName[]];
const port = z.enum(portNames);
const call = { port, key: z.string() };

export const entrySchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('now'), value: z.number() }),
  z.strictObject({ type: z.literal('random'), value: z.number().check(z.gte(0), z.lt(1)) }),
  z.strictObject({ type: z.literal('uuid'), value: z.uuid() }),
  z.strictObject({ type: z.literal('call'), ...call, input: z.unknown() }),
  /** A streamed part of a reply. */
  z.strictObject({ type: z.literal('text'), ...call, text: z.string() }),
  z.strictObject({ type: z.literal('answer'), ...call, output: z.unknown() }),
  z.strictObject({ type: z.literal('failure'), ...call, thrown: recordedError }),
  /** The person's next line, or `left` when there are no more. */
  z.strictObject({ type: z.literal('said'), text: z.string() }),
  z.strictObject({ type: z.literal('left') }),
  /** An event that was sent from outside. */
  z.strictObject({ type: z.literal('event'), event: z.looseObject({ type: z.string() }) }),
  /** The caller stopped the run. */
  z.strictObject({ type: z.literal('stopped') }),
  z.strictObject({ type: z.literal('end') }),
]);

export type Header = z.infer<typeof header>;
export type Entry = z.infer<typeof entrySchema>;
export type ReadEntry = Extract<Entry, { type: 'now' | 'random' | 'uuid' }>;
export type CallEntry = Extract<Entry, { type: 'call' }>;
/** An input of a run from outside. */
export type InboundEntry = Exclude<Entry, ReadEntry | CallEntry>;

export function isRead(entry: Entry): entry is ReadEntry {
  return entry.type === 'now' || entry.type === 'random' || entry.type === 'uuid';
}

import { isRecord, type JsonObject, type NextReply } from '@dramaturg/compiler';
import type { WrittenReply } from './reply-store.ts';

/**
 * The schema of an answer that comes with a message. It is the same for all calls of a conversation, so that providers cache it.
 *
 * @param isChoice the cases are options, which ask and record nothing
 */
export function withReply(schema: JsonObject, isChoice: boolean): JsonObject {
  const text = { type: 'string' };
  const does = { type: 'array', items: { type: 'integer' } };
  const reply = { case: text, ...(isChoice ? {} : { asks: text, does }), text };
  return closedObject({ data: schema, reply: closedObject(reply) });
}

function closedObject(properties: Readonly<Record<string, JsonObject>>): JsonObject {
  const required = Object.keys(properties);
  return { type: 'object', properties, required, additionalProperties: false };
}

/** The answer without its message. A model may forget the wrapping. */
export function dataIn(value: unknown): unknown {
  return isRecord(value) && isRecord(value['data']) ? value['data'] : value;
}

/** The message of an answer; undefined when there is none for one of the cases. */
export function replyIn(value: unknown, { cases }: NextReply): WrittenReply | undefined {
  const { case: id, asks, does, text } = recordIn(isRecord(value) ? value['reply'] : undefined);
  const found = cases.find((each) => each.id === id);
  if (found === undefined || typeof text !== 'string' || text.trim() === '') return undefined;
  const asked = typeof asks === 'string' && asks.trim() !== '' ? asks.trim() : undefined;
  const done = new Set(Array.isArray(does) ? does : []);
  return {
    text: text.trim(),
    asks: asked,
    does: found.directions.flatMap((_, index) => (done.has(index + 1) ? index : [])),
    case: found,
  };
}

function recordIn(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

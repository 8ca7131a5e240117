import { isRecord, type JsonObject } from '@dramaturg/compiler';
import type { Channel } from '../channel/channel.ts';
import { nobody } from '../channel/nobody.ts';
import { HostError } from '../errors.ts';
import { hostPrefixes, isInstanceId, longestId } from './record-ids.ts';

/** What people and programs give, checked before anything is done with it (H8). */

export function requireId(id: unknown): void {
  if (isInstanceId(id) && id.length <= longestId) return;
  const reserved = hostPrefixes.map((prefix) => `"${prefix}"`).join(' or ');
  throw badRequest(
    `The id of an instance has 1 to ${longestId} characters and does not begin with ${reserved}.`,
  );
}

export function requireEvent({ type }: { readonly type: unknown }): void {
  if (typeof type === 'string' && type !== '' && !type.startsWith('xstate.')) return;
  throw badRequest(`${JSON.stringify(type)} is not the type of an event.`);
}

export function requireChannel(
  name: string | null,
  channels: Readonly<Record<string, Channel>>,
): void {
  if (name === null || name === nobody || Object.hasOwn(channels, name)) return;
  const known = Object.keys(channels).join(', ') || 'none';
  throw badRequest(`There is no channel ${JSON.stringify(name)}. The host has these: ${known}.`);
}

/** A copy that is JSON, so that nobody changes what is being handled. */
export function jsonOf(value: unknown, what: string): JsonObject {
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(value));
  } catch (cause) {
    throw badRequest(`The ${what} is not JSON.`, cause);
  }
  if (!isRecord(copy)) throw badRequest(`The ${what} is not a JSON object.`);
  return copy as JsonObject;
}

export function badRequest(message: string, cause?: unknown): HostError {
  return new HostError('host/bad-request', message, cause === undefined ? {} : { cause });
}

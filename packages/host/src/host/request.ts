import { isRecord, type JsonObject, unknownFields } from '@dramaturg/compiler';
import type { Channel } from '../channel/channel.ts';
import { nobodyName } from '../channel/nobody-channel.ts';
import { contactKey } from '../contact.ts';
import { HostError } from '../errors.ts';
import { messageRefused } from '../instance/first-message.ts';
import type { StartOptions } from './options.ts';
import { hostPrefixes, isInstanceId, idLengthMax } from './record-ids.ts';

/** Checks of input from people and programs, before it is used (H8). */

export function requireId(id: unknown): void {
  if (isInstanceId(id) && id.length <= idLengthMax) return;
  const reserved = hostPrefixes.map((prefix) => `"${prefix}"`).join(' or ');
  throw badRequest(
    `The id of an instance has 1 to ${idLengthMax} characters and does not begin with ${reserved}.`,
  );
}

export function requireEvent({ type }: { readonly type: unknown }): void {
  // To XState, "*" is every event.
  const reserved = ['', '*'];
  if (typeof type === 'string' && !reserved.includes(type) && !type.startsWith('xstate.')) return;
  throw badRequest(`${JSON.stringify(type)} is not the type of an event.`);
}

export function requireChannel(
  name: string | null,
  channels: Readonly<Record<string, Channel>>,
): void {
  if (name === null || name === nobodyName || Object.hasOwn(channels, name)) return;
  const known = Object.keys(channels).join(', ') || 'none';
  throw badRequest(`There is no channel ${JSON.stringify(name)}. The host has these: ${known}.`);
}

/** Refuses unknown options, so that none is ignored silently. */
export function requireKnown(
  given: object,
  known: readonly string[],
  what: string,
  path?: string,
): void {
  if (!isRecord(given)) throw badRequest(`The ${what} are not an object.`);
  const problems = unknownFields(given, known, path);
  if (problems.length > 0) {
    throw new HostError(
      'host/unknown-option',
      `The ${what} are not understood: ${problems.join(' ')}`,
    );
  }
}

/** Checks the shape of a first message. The lifecycle and the conversation check its text. */
export function requireFirstMessage(message: StartOptions['message']): void {
  if (message === undefined) return;
  if (!isRecord(message)) throw messageRefused('A message is an object: { text, id }.');
  const problems = unknownFields(message, ['text', 'id'], 'message');
  if (problems.length > 0) throw messageRefused(problems.join(' '));
  if (message['text'] === undefined) throw messageRefused('The message has no "text".');
}

/** @param seen ids of messages that the contact's last instance has received */
export function requireNewMessage(
  message: StartOptions['message'],
  seen: readonly string[] = [],
): void {
  if (message?.id === undefined || !seen.includes(message.id)) return;
  throw messageRefused(`The message ${JSON.stringify(message.id)} was received before.`);
}

/** @returns the contact in its canonical form */
export function requireContact(contact: unknown): string {
  if (typeof contact !== 'string') throw badRequest('The contact must be a text.');
  const key = contactKey(contact);
  if (key === '') throw badRequest('The contact is blank.');
  return key;
}

const orStartNames = ['definition', 'id', 'channel', 'input', 'needs', 'lifecycleInput'];

export function requireReceived(message: unknown): void {
  if (!isRecord(message)) throw badRequest('A message is an object: { contact, text, id }.');
  requireKnown(message, ['contact', 'text', 'id', 'orStart'], 'fields of the message');
  requireContact(message['contact']);
  const { orStart } = message;
  if (orStart === undefined) return;
  requireKnown(orStart as object, orStartNames, 'options of "orStart"', 'orStart');
  if (typeof (orStart as Record<string, unknown>)['definition'] !== 'string')
    throw badRequest('"orStart" needs a "definition": the name of the conversation to start.');
}

/** Copies JSON, so that the caller cannot change what is being handled. */
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

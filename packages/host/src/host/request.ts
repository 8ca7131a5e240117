import { isRecord, type JsonObject } from '@dramaturg/compiler';
import { longestMessage } from '@dramaturg/compiler/machine';
import { unknownFields } from '@dramaturg/compiler/shapes';
import { type Channel, RejectedError } from '../channel/channel.ts';
import { storeChannels } from '../channel/store-channels.ts';
import type { WrittenContact } from '../contact.ts';
import { badRequest, HostError } from '../errors.ts';
import type { DeliveryReport, DeliveryStatus } from '../instance/delivery-reports.ts';
import { messageRefused } from '../instance/first-message.ts';
import { isTraceparent } from '../instance/trace-link.ts';
import type { AddressedStart, StartOptions } from './options.ts';
import { hostPrefixes, isInstanceId, idLengthMax } from './record-ids.ts';

/** Message ids contain the ids of their instance, turn and part. */
const longestMessageId = 1_024;

/** Checks of input from people and programs, before it is used (H8). */

export function requireId(id: unknown): void {
  // An address of HTTP cannot end in a segment "." or "..".
  const isSegment = id !== '.' && id !== '..';
  if (isInstanceId(id) && id.length <= idLengthMax && isSegment) return;
  const reserved = hostPrefixes.map((prefix) => `"${prefix}"`).join(' or ');
  throw badRequest(
    `The id of an instance has 1 to ${idLengthMax} characters, is not "." or "..", and does not begin with ${reserved}.`,
  );
}

export function requireEvent({ type }: { readonly type: unknown }): void {
  // To XState, "*" is every event.
  const reserved = ['', '*'];
  if (typeof type === 'string' && !reserved.includes(type) && !type.startsWith('xstate.')) return;
  throw badRequest(`${JSON.stringify(type)} is not the type of an event.`);
}

/** The channels of a host, for the forms of their contacts. */
export type Channels = Readonly<
  Record<string, Pick<Channel, 'contactKey' | 'hasCarrierWords' | 'download'>>
>;

export function requireChannel(name: string | null, channels: Channels): void {
  if (name === null || storeChannels.has(name) || Object.hasOwn(channels, name)) return;
  const known = Object.keys(channels).join(', ') || 'none';
  throw badRequest(`There is no channel ${JSON.stringify(name)}. The host has these: ${known}.`);
}

/** Checks that a value is an object, which until now only its type says. */
export function requireObject<Given>(given: Given, what: string): Given {
  if (isRecord(given)) return given;
  throw badRequest(`The ${what} are not an object.`);
}

/** Refuses unknown options, so that none is ignored silently. */
export function requireKnown(
  given: object,
  known: readonly string[],
  what: string,
  path?: string,
): void {
  const problems = unknownFields(requireObject(given, what), known, path);
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
  const problems = unknownFields(message, ['text', 'id', 'data'], 'message');
  if (problems.length > 0) throw messageRefused(problems.join(' '));
  requireData(message['data']);
  if (message['text'] === undefined) throw messageRefused('The message has no "text".');
}

export function messageRepeated(id: string | undefined): HostError {
  return messageRefused(`The message ${JSON.stringify(id)} was received before.`);
}

/**
 * @param channels undefined when another process has the channels and checks the contact
 * @returns the contact in the form of its channel; unchanged without a channel
 */
export function requireContact(
  given: { readonly contact: unknown; readonly channel?: string | null | undefined },
  channels: Channels | undefined,
): string {
  const { contact, channel = null } = requireObject(given, 'fields of the contact');
  if (typeof contact !== 'string') throw badRequest('The contact must be a text.');
  if (contact.trim() === '') throw badRequest('The contact is blank.');
  if (channels === undefined) return contact;
  requireChannel(channel, channels);
  try {
    return (channel !== null && channels[channel]?.contactKey?.(contact)) || contact;
  } catch (error) {
    if (!(error instanceof RejectedError)) throw error;
    throw badRequest(`The channel "${channel}" has no such contact: ${error.message}`, error);
  }
}

/** Puts the contact of a filter, if it has one, into its canonical form. */
export function withContact<Filter extends Partial<WrittenContact>>(
  given: Filter,
  channels: Channels,
): Omit<Filter, 'channel'> {
  const { channel, ...filter } = requireObject(given, 'fields of the filter');
  const { contact } = filter;
  if (contact !== undefined)
    return { ...filter, contact: requireContact({ contact, channel }, channels) };
  if (channel === undefined) return filter;
  throw badRequest('"channel" says how "contact" is written, and there is no "contact".');
}

/** Checks the channel and the contact of a start that came from a process without channels. */
export function requireStartContact(
  { contact, channel }: { readonly contact?: string | undefined; readonly channel: string | null },
  channels: Channels,
): void {
  requireChannel(channel, channels);
  const form = contact === undefined ? contact : requireContact({ contact, channel }, channels);
  if (form !== contact)
    throw badRequest(
      `The channel "${channel}" writes this contact ${JSON.stringify(form)}. Write it so.`,
    );
}

/**
 * Puts the contact of a start into its canonical form. Without a channel it stays unchanged. It is refused if the first channel,
 * which then sends the messages, would receive answers under another form.
 */
export function withStartContact(
  options: StartOptions,
  channels: Channels | undefined,
): AddressedStart {
  const { contact: address, channel } = options;
  if (address === undefined) return options;
  const contact = requireContact({ contact: address, channel }, channels);
  const [first] = Object.keys(channels ?? {});
  const answered = channel === undefined && first !== undefined ? formIn(first) : contact;
  if (answered === contact) return { ...options, contact, address };
  throw badRequest(
    `The channel "${first}" writes this contact ${JSON.stringify(answered)}. Write it so, or name the channel.`,
  );

  function formIn(name: string): string {
    try {
      return requireContact({ contact, channel: name }, channels);
    } catch {
      // This channel has no such contact, so the messages of the instance are not for it.
      return contact;
    }
  }
}

const orStartNames = ['definition', 'id', 'channel', 'input', 'needs', 'lifecycleInput'];

/** @param keepsFiles whether files inside of the data are taken out of it */
export function requireReceived(message: unknown, keepsFiles: boolean): void {
  if (!isRecord(message)) throw badRequest('A message is an object: { contact, text, id }.');
  requireKnown(
    message,
    ['contact', 'channel', 'text', 'id', 'data', 'sentAt', 'replyTo', 'orStart', 'traceparent'],
    'fields of the message',
  );
  requireData(message['data'], keepsFiles);
  requireTraceparent(message['traceparent']);
  const { orStart, sentAt, replyTo } = message;
  if (sentAt !== undefined && !(Number.isSafeInteger(sentAt) && Number(sentAt) > 0))
    throw badRequest('"sentAt" is a time in milliseconds since 1970 UTC, as a whole number.');
  if (replyTo !== undefined && (typeof replyTo !== 'string' || replyTo.length > longestMessage))
    throw badRequest('"replyTo" is the id of a message, or its text.');
  if (orStart === undefined) return;
  requireKnown(orStart as object, orStartNames, 'options of "orStart"', 'orStart');
  if (typeof (orStart as Record<string, unknown>)['definition'] !== 'string')
    throw badRequest('"orStart" needs a "definition": the name of the conversation to start.');
}

export function requireForkPoint(at: unknown): void {
  const { checkpoint, step } = isRecord(at) ? at : {};
  if (step !== undefined || (typeof checkpoint === 'string' && checkpoint !== '')) return;
  throw badRequest('A fork begins at a "step", or at a "checkpoint": the name of a save point.');
}

export function requireTraceparent(given: unknown): void {
  if (given === undefined || isTraceparent(given)) return;
  throw badRequest(
    'The "traceparent" is not that of W3C Trace Context. Leave it out, or write it as 00-<32 hexadecimal digits>-<16>-<2>.',
  );
}

/** The largest length of the data of a message, in characters of JSON. */
const longestData = 32_768;

export function requireData(data: unknown, keepsFiles = false): void {
  if (data === undefined) return;
  let isInside = false;
  const { length } = JSON.stringify(jsonOf(data, 'data of the message'), (key, value: unknown) => {
    const isFile = key === 'url' && typeof value === 'string' && value.startsWith('data:');
    if (isFile && value.length > 4_000) isInside = true;
    return isFile && keepsFiles ? undefined : value;
  });
  if (isInside && !keepsFiles)
    throw badRequest(
      'A file is inside of the message. Upload it elsewhere, and send its address, or let the host keep files: its option "attachments".',
    );
  if (length <= longestData) return;
  throw badRequest(
    `The data of the message has ${length} characters of JSON. At most ${longestData} are allowed: send links, not contents.`,
  );
}

/** The number of characters that are kept of a reason. */
const longestReason = 500;

const statuses: readonly string[] = ['delivered', 'read', 'failed'] satisfies DeliveryStatus[];

/** @returns the report, with a long reason cut */
export function requireReport(report: DeliveryReport): DeliveryReport {
  requireKnown(report, ['instance', 'message', 'status', 'reason'], 'fields of the report');
  const { instance, message, status, reason } = report;
  requireId(instance);
  if (typeof message !== 'string' || message === '' || message.length > longestMessageId)
    throw badRequest(
      `A report names its "message": the id that the channel got, of 1 to ${longestMessageId} characters.`,
    );
  if (!statuses.includes(status))
    throw badRequest(
      `The status of a report is "delivered", "read" or "failed", not ${JSON.stringify(status)}.`,
    );
  if (reason !== undefined && typeof reason !== 'string')
    throw badRequest('The "reason" of a report must be a text.');
  const given = { instance, message, status };
  return reason === undefined ? given : { ...given, reason: reason.slice(0, longestReason) };
}

/** Copies JSON, so that the caller cannot change it later. A value that JSON would change silently is refused with its place. */
export function jsonOf(value: unknown, what: string): JsonObject {
  if (!isRecord(value)) throw badRequest(`The ${what} is not a JSON object.`);
  let copy: string;
  try {
    requireJson(value, what, []);
    copy = JSON.stringify(value);
  } catch (cause) {
    if (cause instanceof HostError) throw cause;
    // A cycle, or more levels than the stack allows.
    throw badRequest(`The ${what} is not JSON.`, cause);
  }
  return JSON.parse(copy) as JsonObject;
}

/**
 * A field that is undefined counts as left out.
 *
 * @param path of the value. It is changed on the way, because a copy for each value would cost more than the check.
 */
function requireJson(value: unknown, what: string, path: string[]): void {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw noJson(what, path, `the number ${value}`);
    return;
  }
  if (typeof value !== 'object') throw noJson(what, path, `a value of the type ${typeof value}`);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== null && Object.getPrototypeOf(prototype) !== null)
    throw noJson(what, path, `an instance of ${value.constructor?.name || 'a class'}`);
  for (const [key, item] of Object.entries(value)) {
    path.push(key);
    if (key === '__proto__') throw noJson(what, path, 'a key that objects do not keep');
    // JSON has null for a missing item of a list.
    if (item !== undefined || Array.isArray(value)) requireJson(item, what, path);
    path.pop();
  }
}

function noJson(what: string, path: readonly string[], found: string): HostError {
  const at = path.length === 0 ? '' : ` at "${path.join('.')}"`;
  const hint = 'Give texts, finite numbers, true, false, null, lists and plain objects.';
  return badRequest(`The ${what} is not JSON${at}: it has ${found} there. ${hint}`);
}

import { isRecord, type JsonObject } from '@dramaturg/compiler';
import type { LoadedDefinition } from '../definitions/library.ts';
import type { Birth } from '../instance/state.ts';
import type { StartOptions } from './options.ts';
import { jsonOf } from './request.ts';

/** The options of a start whose id and channel are known, with the contact in its canonical form. */
export type BirthOrder = Omit<StartOptions, 'id' | 'channel' | 'needs'> &
  Pick<Birth, 'id' | 'channel' | 'copy'> &
  Partial<Pick<Birth, 'address'>>;

/** A workflow gets the message that starts it with its data. */
function withMessage(
  { input: given, ...rest }: JsonObject,
  message: NonNullable<Birth['message']>,
): JsonObject {
  return { ...rest, input: { ...(isRecord(given) && given), message: { ...message } } };
}

/**
 * What an instance starts with, before its position in the queue of its contact is known.
 *
 * @throws HostError `host/bad-request`
 */
export function birthOf(
  order: BirthOrder,
  { lifecycle, machine }: LoadedDefinition,
): Omit<Birth, 'queued'> {
  const { id, contact, address = contact ?? null, channel, message, traceparent, copy } = order;
  const input = jsonOf(order.input ?? {}, 'input');
  // The conversation answers the first message instead of opening with words of its own.
  const answersFirst = message !== undefined && lifecycle && machine.converses;
  return {
    id,
    ...(contact === undefined ? {} : { contact }),
    address,
    channel,
    ...(message ? { message } : {}),
    ...(traceparent === undefined ? {} : { traceparent }),
    input: answersFirst
      ? { opening: 'person', ...input }
      : message && lifecycle
        ? withMessage(input, message)
        : input,
    lifecycleInput: jsonOf(order.lifecycleInput ?? {}, 'lifecycleInput'),
    ...(copy ? { copy } : {}),
  };
}

import { isRecord, type JsonObject } from '@dramaturg/compiler';
import type { LoadedDefinition } from '../definitions/library.ts';
import type { Birth } from '../instance/state.ts';
import type { StartOptions } from './options.ts';
import { jsonOf } from './request.ts';

/** The options of a start whose id and channel are known, with the contact in its canonical form. */
export type BirthOrder = Omit<StartOptions, 'id' | 'channel' | 'needs'> &
  Pick<Birth, 'id' | 'channel' | 'copy'> &
  Partial<Pick<Birth, 'address'>>;

/** Adds the first message to the input of a workflow. */
function withMessage(
  { input: given, ...rest }: JsonObject,
  message: NonNullable<Birth['message']>,
): JsonObject {
  return { ...rest, input: { ...(isRecord(given) && given), message: { ...message } } };
}

/**
 * The data for the start of an instance, except its position in the queue of its contact.
 *
 * @throws HostError `host/bad-request`
 */
export function birthOf(
  order: BirthOrder,
  { lifecycle, machine }: LoadedDefinition,
): Omit<Birth, 'queued'> {
  const { id, contact, address = contact ?? null, channel, message, traceparent, copy } = order;
  const input = jsonOf(order.input ?? {}, 'input');
  // The conversation answers the first message instead of writing first.
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

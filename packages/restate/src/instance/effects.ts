import type { Letter } from '@dramaturg/host';
import {
  type LiveInstance,
  type MessageLetter,
  onlyReminds,
  type OutboxLetter,
  routeOf,
} from '@dramaturg/host/engine';
import type { ObjectContext } from '@restatedev/restate-sdk';
import type { ServiceNames } from '../names.ts';
import type { CallOrder, DeliveryOrder, WithdrawOrder } from './messages.ts';
import { send } from './sends.ts';
import type { Alarm, Head } from './state-layout.ts';

/** Leaves the calls with Restate that a step has decided. Letters that are no open calls are passed over. */
export function sendCalls(
  context: ObjectContext,
  names: ServiceNames,
  instance: LiveInstance,
  letters: readonly Pick<Letter, 'id'>[],
): void {
  if (letters.length === 0) return;
  const open = instance.calls();
  const { contact, state, used, transcriptLength } = instance;
  for (const letter of new Set(letters.map(({ id }) => id))) {
    const found = open.get(letter);
    if (!found) continue;
    const { port, key, input } = found.call;
    const order: CallOrder = {
      letter,
      port,
      key,
      input,
      used,
      ...(contact === undefined ? {} : { contact }),
      isReminder: onlyReminds(state),
      transcriptLength,
    };
    send(context, { service: names.instance, key: context.key, handler: 'call' }, order);
  }
}

/** Tells the processes that make calls and deliver messages what the instance does not wait for any more. */
export function sendWithdrawal(
  context: ObjectContext,
  names: ServiceNames,
  letters: WithdrawOrder['letters'],
): void {
  if (letters.length === 0) return;
  const order: WithdrawOrder = { letters };
  send(context, { service: names.instance, key: context.key, handler: 'withdraw' }, order);
}

/**
 * Sends the first message of each route that has none with its channel.
 *
 * @returns the letters that are with their channel now, by route
 */
export function sendMessages(
  context: ObjectContext,
  names: ServiceNames,
  { origin: { contact }, outbox, sending, address, channel, kept = [] }: Head,
): Head['sending'] {
  const now: Record<string, string> = { ...sending };
  for (const { id: letter, body: stored } of outbox) {
    if ((stored as OutboxLetter).kind !== 'message' || kept.includes(letter)) continue;
    const body = stored as MessageLetter;
    const route = routeOf(body);
    if (Object.hasOwn(now, route)) continue;
    now[route] = letter;
    const order: DeliveryOrder = {
      letter,
      body,
      address: body.to?.address ?? address,
      channel: body.to?.channel ?? channel,
      ...(contact === undefined ? {} : { contact }),
    };
    send(context, { service: names.instance, key: context.key, handler: 'deliver' }, order);
  }
  return now;
}

/** Sets the alarm for the earliest timer, unless an earlier one is pending. */
export function sendAlarm(
  context: ObjectContext,
  names: ServiceNames,
  { timers, alarm, alarms }: Head,
): Pick<Head, 'alarm' | 'alarms'> {
  const at = Math.min(...timers.map((timer) => timer.at));
  if (at === Infinity || (alarm && alarm.at <= at)) return { alarm, alarms };
  const next: Alarm = { at, number: alarms + 1 };
  const delay = Math.max(0, at - Date.now());
  send(context, { service: names.instance, key: context.key, handler: 'wake' }, next, delay);
  return { alarm: next, alarms: next.number };
}

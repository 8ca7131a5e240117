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

/**
 * Leaves the calls with Restate that a step has decided. Letters that are no open calls are passed over.
 *
 * @returns the idempotency keys of the calls, by letter
 */
export function sendCalls(
  context: ObjectContext,
  names: ServiceNames,
  instance: LiveInstance,
  letters: readonly Pick<Letter, 'id'>[],
): Head['work'] {
  const work: Record<string, string> = {};
  if (letters.length === 0) return work;
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
    work[letter] = sendWork(context, names, 'call', order);
  }
  return work;
}

/** Tells the processes that make calls and deliver messages what the instance does not wait for any more. */
export function sendWithdrawal(
  context: ObjectContext,
  names: ServiceNames,
  work: WithdrawOrder['work'],
): void {
  if (work.length === 0) return;
  const order: WithdrawOrder = { work };
  send(context, { service: names.instance, key: context.key, handler: 'withdraw' }, order);
}

/** @returns the idempotency key, by which `withdraw` finds the invocation. A letter may be sent again, with another one. */
function sendWork(
  context: ObjectContext,
  { instance: service }: ServiceNames,
  handler: 'call' | 'deliver',
  order: CallOrder | DeliveryOrder,
): string {
  const idempotencyKey = context.rand.uuidv4();
  send(context, { service, key: context.key, handler }, order, { idempotencyKey });
  return idempotencyKey;
}

/**
 * Sends the first message of each route that has none with its channel.
 *
 * @returns the letters that are with their channel now, by route, and the work that is with Restate
 */
export function sendMessages(
  context: ObjectContext,
  names: ServiceNames,
  { origin: { contact }, outbox, sending, work, address, channel, kept = [] }: Head,
): Pick<Head, 'sending' | 'work'> {
  const now: Record<string, string> = { ...sending };
  const inWork: Record<string, string> = { ...work };
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
    inWork[letter] = sendWork(context, names, 'deliver', order);
  }
  return { sending: now, work: inWork };
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
  send(context, { service: names.instance, key: context.key, handler: 'wake' }, next, { delay });
  return { alarm: next, alarms: next.number };
}

import type { Letter } from '@dramaturg/host/store';
import {
  type LiveInstance,
  onlyReminds,
  type OutboxLetter,
  routeOf,
  sendableNow,
} from '@dramaturg/host/engine';
import type { ObjectContext } from '@restatedev/restate-sdk';
import type { ServiceNames } from '../names.ts';
import type { CallOrder, DeliveryOrder, WithdrawOrder } from './messages.ts';
import { send } from './sends.ts';
import { type Alarm, type Head, headKey } from './state-layout.ts';

/** A call or a delivery that was submitted to Restate. */
export type Work = { readonly key: string } & (
  | { readonly handler: 'call'; readonly order: CallOrder }
  | { readonly handler: 'deliver'; readonly order: DeliveryOrder }
);

/** The calls that a step has decided. Letters that are not open calls are skipped. */
export function callsOf(
  context: ObjectContext,
  instance: LiveInstance,
  letters: readonly Pick<Letter, 'id'>[],
  at: number,
): readonly Work[] {
  const calls: Work[] = [];
  if (letters.length === 0) return calls;
  const open = instance.calls();
  const { contact, state, used, transcriptLength, heard } = instance;
  for (const letter of new Set(letters.map(({ id }) => id))) {
    const found = open.get(letter);
    if (!found) continue;
    const { port, key, input } = found.call;
    const order: CallOrder = {
      at,
      letter,
      port,
      key,
      input,
      used,
      ...(contact === undefined ? {} : { contact }),
      isReminder: onlyReminds(state),
      transcriptLength,
      timeZone: instance.timeOf(letter).timeZone,
      ...(heard && { heard }),
    };
    calls.push({ handler: 'call', key: context.rand.uuidv4(), order });
  }
  return calls;
}

/** Notifies the processes that make calls and deliver messages of work that the instance no longer waits for. */
export function sendWithdrawal(
  context: ObjectContext,
  names: ServiceNames,
  work: WithdrawOrder['work'],
): void {
  if (work.length === 0) return;
  const order: WithdrawOrder = { work };
  send(context, { service: names.instance, key: context.key, handler: 'withdraw' }, order);
}

/**
 * Writes the head, and submits work to Restate: calls, and the first message of each route without one at its channel. The head
 * is written first, so that a process that begins the work finds it.
 */
export function writeHeadWith(
  context: ObjectContext,
  { instance: service }: ServiceNames,
  head: Head,
  calls: readonly Work[] = [],
): void {
  const { deliveries, sending } = deliveriesOf(context, head);
  const begun = [...calls, ...deliveries];
  const keys = Object.fromEntries(begun.map(({ key, order }) => [order.letter, key]));
  const next: Head = { ...head, sending, work: { ...head.work, ...keys } };
  context.set(headKey, next);
  for (const { handler, key: idempotencyKey, order } of begun)
    send(context, { service, key: context.key, handler }, order, { idempotencyKey });
}

function deliveriesOf(
  context: ObjectContext,
  { origin: { contact }, updatedAt, attention, outbox, sending, address, channel, kept = [] }: Head,
) {
  const now: Record<string, string> = { ...sending };
  const deliveries: Work[] = [];
  const messages = outbox.flatMap(({ id: letter, body: stored }) => {
    const body = stored as OutboxLetter;
    return body.kind === 'message' ? [{ letter, body }] : [];
  });
  for (const { letter, body } of sendableNow(messages, attention?.owner !== undefined)) {
    if (kept.includes(letter)) continue;
    const route = routeOf(body);
    if (Object.hasOwn(now, route)) continue;
    now[route] = letter;
    const order: DeliveryOrder = {
      at: updatedAt,
      letter,
      body,
      address: body.to?.address ?? address,
      channel: body.to?.channel ?? channel,
      ...(contact === undefined ? {} : { contact }),
    };
    deliveries.push({ handler: 'deliver', key: context.rand.uuidv4(), order });
  }
  return { deliveries, sending: now };
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

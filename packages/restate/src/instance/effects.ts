import type { Json } from '@dramaturg/compiler';
import {
  type LiveInstance,
  onlyReminds,
  type OutboxLetter,
  routeOf,
  sendableNow,
} from '@dramaturg/host/engine';
import type { Letter, LineRange } from '@dramaturg/host/store';
import type { ObjectContext } from '@restatedev/restate-sdk';
import type { ServiceNames } from '../names.ts';
import { type CallOrder, type DeliveryOrder, send, type WithdrawOrder } from './messages.ts';
import {
  type Alarm,
  type Chunk,
  chunkKey,
  type Head,
  headKey,
  type LineKind,
  type Lines,
} from './state-layout.ts';

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

/** Reads a value of the state by its key. */
type GetChunk = (key: string) => Promise<Chunk | null>;

/** Reads lines by their index. A range beyond the end gives fewer lines, or none. */
export async function readLines(
  get: GetChunk,
  kind: LineKind,
  { lines: count, chunks, latest }: Lines,
  { from, limit }: LineRange,
): Promise<readonly Json[]> {
  const end = Math.min(from + limit, count);
  const inChunks = count - latest.length;
  const older = await linesOfChunks(
    get,
    kind,
    { lines: inChunks, chunks },
    { from, end: Math.min(end, inChunks) },
  );
  if (end <= inChunks) return older;
  return [...older, ...latest.slice(Math.max(0, from - inChunks), end - inChunks)];
}

type Chunks = Pick<Lines, 'lines' | 'chunks'>;

async function linesOfChunks(
  get: GetChunk,
  kind: LineKind,
  chunks: Chunks,
  { from, end }: { readonly from: number; readonly end: number },
): Promise<readonly Json[]> {
  const lines: Json[] = [];
  if (from >= end) return lines;
  let [index, chunk] = await findChunk(get, kind, chunks, from);
  for (let next = from; ;) {
    const some = chunk.lines.slice(next - chunk.from, end - chunk.from);
    lines.push(...some);
    next += some.length;
    if (next >= end) return lines;
    index += 1;
    chunk = await chunkAt(get, kind, index);
  }
}

/** Chunks have about the same number of lines each, so a guess from the index of the line needs few reads. */
async function findChunk(
  get: GetChunk,
  kind: LineKind,
  { lines, chunks }: Chunks,
  line: number,
): Promise<[number, Chunk]> {
  let low = { index: 0, line: 0 };
  let high = { index: chunks, line: lines };
  for (;;) {
    const share = (line - low.line) / (high.line - low.line);
    const guess = low.index + Math.floor(share * (high.index - low.index));
    const index = Math.min(guess, high.index - 1);
    const chunk = await chunkAt(get, kind, index);
    const after = chunk.from + chunk.lines.length;
    if (line < chunk.from) high = { index, line: chunk.from };
    else if (line >= after) low = { index: index + 1, line: after };
    else return [index, chunk];
  }
}

async function chunkAt(get: GetChunk, kind: LineKind, index: number): Promise<Chunk> {
  const chunk = await get(chunkKey(kind, index));
  if (chunk) return chunk;
  throw new Error(`The chunk ${index} of the ${kind} is missing.`);
}

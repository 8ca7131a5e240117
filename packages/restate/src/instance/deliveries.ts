import { isRecord } from '@dramaturg/compiler';
import type { HostEvent } from '@dramaturg/host';
import {
  ancestryOf,
  cursorAt,
  journalLine,
  messageLetter,
  type MessageLetter,
  stateOf,
} from '@dramaturg/host/engine';
import type { ObjectContext, ObjectSharedContext } from '@restatedev/restate-sdk';
import type { Engine } from '../engine.ts';
import { readLines, writeHeadWith } from './effects.ts';
import type { Fate, GiveUpOrder, ReceiptOrder } from './messages.ts';
import {
  appendLines,
  type Chunk,
  type Head,
  keptKey,
  outboxAfter,
  readHead,
  readInstance,
  without,
} from './state-layout.ts';
import { step } from './step.ts';

/** Stores the answer of the channel, and sends the next message of the route. */
export async function settleDelivery(
  engine: Engine,
  context: ObjectContext,
  { at, letter, route, because, isKept }: ReceiptOrder,
): Promise<void> {
  const stand = await readHead(context);
  const sending = without(stand.sending, [route]);
  const head: Head = { ...stand, sending, work: without(stand.work, [letter]) };
  const stored = head.outbox.find(({ id }) => id === letter)?.body as MessageLetter | undefined;
  if (stored && !isKept && (because !== undefined || stored.role === 'manual')) {
    await step(engine, context, at, async (instance) => ({
      results: [
        because === undefined
          ? await instance.decideDelivered(letter)
          : await instance.decideRejected(letter, because),
      ],
      done: [letter],
      head: { sending, work: head.work },
    }));
    return;
  }
  // Another process, without the channel, may have kept the message after this one looked for kept messages.
  if (stored && isKept && (await hasChannel(engine, context, stored, head))) {
    writeHeadWith(context, engine.names, head);
    return;
  }
  if (stored && isKept) {
    context.set(keptKey, true);
    writeHeadWith(context, engine.names, { ...head, kept: [...(head.kept ?? []), letter] });
    return;
  }
  const outbox = outboxAfter(head.outbox, [letter], []);
  const delivered: HostEvent | undefined = stored && {
    instance: head.origin.id,
    ...(head.origin.parent !== undefined &&
      ancestryOf(stateOf((await readInstance(context)).record))),
    at,
    source: 'host',
    event: { type: 'message.delivered', id: stored.message, role: stored.role },
    cursor: cursorAt(head.journal.lines + 1, at),
  };
  const lines = delivered ? appendLines(context, head, { journal: [journalLine(delivered)] }) : {};
  const next: Head = { ...head, ...lines, outbox };
  writeHeadWith(context, engine.names, next);
  const { id: instance } = head.origin;
  const { lines: from } = head.journal;
  if (delivered) engine.publish({ instance, from, lines: next.journal.lines, events: [delivered] });
}

/** Restate remembers the answer: a process that repeats the handler may have other channels. */
function hasChannel(
  { surroundings }: Engine,
  context: ObjectContext,
  { to }: MessageLetter,
  head: Head,
): Promise<boolean> {
  const name = to?.channel ?? head.channel;
  return context.run('channel', () => name !== null && surroundings.hasChannel(name));
}

/** Tries the kept messages again: this process may have their channel. */
export async function redeliver(engine: Engine, context: ObjectContext): Promise<void> {
  const { kept: _, ...head } = await readHead(context);
  context.clear(keptKey);
  writeHeadWith(context, engine.names, head);
}

/** Rejects a message that waits for earlier ones. The channel decides on a message that it already has. */
export async function giveUp(
  engine: Engine,
  context: ObjectContext,
  { at, letter, because }: GiveUpOrder,
): Promise<void> {
  const { sending } = await readHead(context);
  if (Object.values(sending).includes(letter)) return;
  await step(engine, context, at, async (instance) => ({
    results: [await instance.decideRejected(letter, because)],
  }));
}

/** Journal lines that are searched at a time. */
const pageLength = 100;

/** Finds the latest fate of a message in the outbox and the journal. */
export async function fateOfMessage(context: ObjectSharedContext, message: string): Promise<Fate> {
  const head = await readHead(context);
  const { status: state, outbox, journal } = head;
  if (outbox.some(({ id }) => id === messageLetter(message))) return { type: 'waits', state };
  for (let end = journal.lines; end > 0; end -= pageLength) {
    const from = Math.max(0, end - pageLength);
    const range = { from, limit: end - from };
    const lines = await readLines((key) => context.get<Chunk>(key), 'journal', journal, range);
    for (const line of lines.toReversed()) {
      const event = isRecord(line) ? line['event'] : undefined;
      if (!isRecord(event) || event['id'] !== message) continue;
      if (event['type'] === 'message.delivered') return { type: 'delivered', state };
      const { because } = event;
      if (event['type'] === 'message.rejected' && typeof because === 'string')
        return { type: 'rejected', because, state };
    }
  }
  return { type: 'rejected', because: 'It was withdrawn.', state };
}

import type { InstanceView, TranscriptLine } from '@dramaturg/host';
import { lastLine, pageName, type Rest, restOf } from '@dramaturg/host/channel';
import { unlessErased } from '@dramaturg/host/engine';
import type { FrontEndHost, Received } from './inlet.ts';

/** Number of transcript lines that are read at once. */
const pageLength = 1_000;

/** The first message of a contact is among this many lines. */
const firstLines = 20;

/** Events after which the conversation may have another line, or be at rest. */
const types = ['message.*', 'state.entered', 'instance.ended', 'turn.*', 'decision.*', 'claim.*'];

export interface Following extends Omit<Received, 'id'> {
  readonly contact: string;
  /** Whether the lines after the index answer the message, and no earlier one. */
  readonly isBegun?: boolean;
  /** The conversation that has called this one, to go on with at its end. */
  readonly caller?: Following;
  /** Whether the client wants the answer from its beginning. */
  readonly isWhole: boolean;
}

/**
 * Streams the lines that a client lacks, then the answer to its message, until the conversation is at rest. A conversation that it
 * calls as an agent, and the one that has called it, go on with the answer.
 */
export async function* answerOf(
  host: FrontEndHost,
  following: Following,
  signal: AbortSignal,
): AsyncGenerator<AnswerPart, void> {
  for (let now: Following | undefined = following; now;) now = yield* linesOf(host, now, signal);
}

/**
 * An answer begins with the first change of state after its message: replies of a turn that already ran answer an earlier message.
 * It ends where the answer to a later message begins.
 *
 * @returns the conversation that continues with the answer
 */
async function* linesOf(
  host: FrontEndHost,
  following: Following,
  signal: AbortSignal,
): AsyncGenerator<AnswerPart, Following | undefined> {
  const { contact, instance, index, from, has, isWhole } = following;
  const events = host.events({ contact, parts: true, types, signal })[Symbol.asyncIterator]();
  const texts = new Map<string, ReplyText>();
  const textOf = (key: string, given?: string) => {
    if (!texts.has(key)) texts.set(key, new ReplyText(key, given));
    return texts.get(key)!;
  };
  let [next, isFollowed, isOver] = [from, false, false];
  let isBegun = following.isBegun ?? index <= 0;
  let [read, hasAnswered]: [string | undefined, boolean] = [undefined, false];
  try {
    // The first message of a conversation may come in the middle of its first turn.
    if (!isBegun && index < firstLines) {
      const before = await host.transcript(instance, { from: 0, limit: index });
      isBegun = !before.some(({ role }) => role === 'contact');
    }
    for (let stateBefore: string | undefined; ;) {
      const view = await host.get(instance);
      while (next < view.transcriptLength && !isOver) {
        const limit = Math.min(pageLength, view.transcriptLength - next);
        const lines = await host.transcript(instance, { from: next, limit });
        if (lines.length === 0) break;
        for (const { id, role, text, by } of lines) {
          const isAfter = next > index;
          next += 1;
          if (role === 'contact') isFollowed ||= isAfter;
          else if (role === 'system') {
            isOver ||= isAfter && isFollowed;
            isBegun ||= isAfter;
          } else {
            const given = isWhole && isAfter ? undefined : has({ id, text });
            const isEarlier = isAfter && !isBegun && role === 'agent' && given === undefined;
            if (isEarlier) continue;
            yield* textOf(id, given).end({ id, text, isByHand: role === 'manual', by });
            texts.delete(id);
            read = id;
            hasAnswered ||= isAfter;
          }
          if (isOver) break;
        }
      }
      const rest = await restOf(host, view);
      const here = { ...following, index: next - 1, from: next, isBegun: true };
      if (rest === 'ended') {
        if (following.caller) return following.caller;
        const caller = await callerOf(host, view, index);
        if (caller) return { ...following, ...caller, isBegun: true };
      }
      const called = rest === undefined ? await calledBy(host, view) : undefined;
      if (called) return { ...following, instance: called, index: -1, from: 0, caller: here };
      const over = hasAnswered
        ? 'answered'
        : rest === undefined || rest === 'answered'
          ? 'merged'
          : rest;
      const reason = isOver ? over : rest;
      if (reason !== undefined) {
        for (const each of texts.values()) yield* each.withdraw();
        const { state, failure } = view;
        if (reason !== 'failed') {
          yield { type: 'done', state, reason };
          return undefined;
        }
        yield { type: 'state', state };
        const { error, cause } = failure ?? {};
        const detail = cause ?? 'The turn has failed.';
        yield { type: 'failed', code: error ?? 'turn/failed', detail };
        return undefined;
      }
      if (view.state !== stateBefore) yield { type: 'state', state: view.state };
      stateBefore = view.state;
      for (;;) {
        const happened = await events.next();
        if (happened.done) return undefined;
        const { instance: of, event } = happened.value;
        if (event.type !== 'message.part') break;
        if (of !== instance) continue;
        const key = String(event['key']);
        const given = isWhole ? undefined : has({ id: key, text: '' });
        if (isBegun || given !== undefined) yield* textOf(key, given).add(event);
      }
    }
  } finally {
    await events.return?.();
    // A page shows what it has streamed: the last message counts as read.
    if (read !== undefined)
      await host.reportDelivery({ instance, message: read, status: 'read' }).catch(() => {});
  }
}

/** The conversation that an instance has called, and that now talks with the contact. */
async function calledBy(
  host: FrontEndHost,
  { children }: InstanceView,
): Promise<string | undefined> {
  // A child is stored after the step that calls it.
  const views = await Promise.all(children.map((id) => unlessErased(host.get(id))));
  return views.find((view) => view?.holdsContact && !view.ended)?.id;
}

/** The conversation that has called an ended one, from the time of the message to the ended one. */
async function callerOf(
  host: FrontEndHost,
  { id, contact, parent }: InstanceView,
  index: number,
): Promise<Pick<Following, 'instance' | 'index' | 'from'> | undefined> {
  if (parent === undefined || contact === undefined) return undefined;
  const view = await host.get(parent);
  if (view.contact !== contact) return undefined;
  const [message] = await host.transcript(id, { from: Math.max(0, index), limit: 1 });
  const before = await lastLine(
    (range) => host.transcript(parent, range),
    view.transcriptLength,
    ({ at }) => at < (message?.at ?? 0),
  );
  const from = before ? before.index + 1 : 0;
  return { instance: parent, index: from - 1, from };
}

/**
 * The answer to the last message of a contact, for a client that was cut off.
 *
 * @returns undefined when nothing is being made and the client has read everything
 */
export async function unreadAnswer(
  host: FrontEndHost,
  contact: string,
  definition: string,
): Promise<(Received & Pick<Following, 'contact'>) | undefined> {
  const open = await host.list({ contact, definition, ended: false, limit: 1 });
  const all = open.items[0] ? open : await host.list({ contact, definition, limit: 1_000 });
  const instance = all.items.at(-1)?.id;
  if (instance === undefined) return undefined;
  const view = await host.get(instance);
  // The contact got the end of the conversation over another channel.
  if (view.ended && view.channel !== pageName) return undefined;
  let [index, id, from] = [-1, instance, 0];
  let rest: readonly TranscriptLine[] = [];
  for (let end = view.transcriptLength; end > 0 && index < 0; end -= pageLength) {
    const start = Math.max(0, end - pageLength);
    const lines = await host.transcript(instance, { from: start, limit: end - start });
    const place = lines.findLastIndex(({ role }) => role === 'contact');
    if (place >= 0) {
      [index, id] = [start + place, lines[place]!.id];
      from = index - lackedBefore(lines.slice(0, place), lines[place]!.at);
    }
    rest = [...lines.slice(place + 1), ...rest];
  }
  const last = rest.findLast(({ role }) => role === 'agent' || role === 'manual');
  const isRead = last === undefined || last.delivery?.status === 'read';
  if (isRead && (await restOf(host, view)) !== undefined) return undefined;
  return { contact, instance, id, index, from, has: () => undefined };
}

/** How many lines before a message the client lacked when it was sent: their texts came with the answer to it. */
function lackedBefore(before: readonly TranscriptLine[], at: number): number {
  const known = before.findLastIndex(
    ({ role, delivery }) =>
      role === 'contact' || (delivery?.status === 'read' && delivery.at <= at),
  );
  return known < 0 ? 0 : before.length - 1 - known;
}

interface StoredText {
  readonly id: string;
  readonly text: string;
  readonly isByHand: boolean;
  readonly by?: string | undefined;
}

/** The text of one message: first its parts, then the stored text. The time is linear in the length of the text. */
class ReplyText {
  readonly key: string;
  /** The text that the client has. */
  #given: string;
  /** The length of the text from the running attempt. */
  #length = 0;
  /** Whether the running attempt differs from the text that the client has. */
  #isOther = false;
  #isStarted = false;
  #isWithdrawn = false;

  /** @param given the beginning of the text, which the client already has */
  constructor(key: string, given = '') {
    this.key = key;
    this.#given = given;
  }

  /** Adds a part `{ text, offset }` of the reply. A part with the offset 0 begins a new attempt. */
  *add({ text, offset }: { readonly [field: string]: unknown }): Generator<AnswerPart, void> {
    if (typeof text !== 'string') return;
    if (offset !== this.#length) [this.#length, this.#isOther] = [Number(offset), false];
    if (text === '') return yield* this.withdraw();
    // A repeated attempt may produce the same text again: only what exceeds it is new.
    const repeated = this.#given.slice(this.#length, this.#length + text.length);
    this.#isOther ||= !text.startsWith(repeated);
    this.#length += text.length;
    if (this.#isOther || this.#isWithdrawn) return;
    yield* this.#give(text.slice(repeated.length));
  }

  /** Ends with the stored message. */
  *end({ text, isByHand, by }: StoredText): Generator<AnswerPart, void> {
    const { key } = this;
    const isReplaced = this.#isWithdrawn || !text.startsWith(this.#given);
    if (!this.#isStarted && !isReplaced && text === this.#given) return;
    yield* this.#start(isByHand, by);
    if (!isReplaced) yield* this.#give(text.slice(this.#given.length));
    yield { type: 'text-end', key, text, isReplaced };
  }

  /** Withdraws the parts that were sent. */
  *withdraw(): Generator<AnswerPart, void> {
    if (!this.#isStarted || this.#isWithdrawn) return;
    this.#isWithdrawn = true;
    yield { type: 'text-withdrawn', key: this.key };
  }

  *#give(text: string): Generator<AnswerPart, void> {
    if (text === '') return;
    yield* this.#start(false);
    this.#given += text;
    yield { type: 'text-delta', key: this.key, text };
  }

  *#start(isByHand: boolean, by?: string): Generator<AnswerPart, void> {
    if (!this.#isStarted) yield { type: 'text-start', key: this.key, isByHand, by };
    this.#isStarted = true;
  }
}

/** A part of the answer to a message. */
export type AnswerPart =
  /** `key` is the id of the message in progress. `by` is the person who has written it by hand. */
  | {
      readonly type: 'text-start';
      readonly key: string;
      readonly isByHand: boolean;
      readonly by?: string | undefined;
    }
  | { readonly type: 'text-delta'; readonly key: string; readonly text: string }
  /** `text` is the stored text; `isReplaced` if the parts were different. */
  | {
      readonly type: 'text-end';
      readonly key: string;
      readonly text: string;
      readonly isReplaced: boolean;
    }
  /** The call has failed, or the turn was interrupted: the parts sent so far do not count. */
  | { readonly type: 'text-withdrawn'; readonly key: string }
  | { readonly type: 'state'; readonly state: string }
  /** The instance is at rest. `merged`: the message is answered together with a later one. */
  | { readonly type: 'done'; readonly state: string; readonly reason: Rest | 'merged' }
  | { readonly type: 'failed'; readonly code: string; readonly detail: string };

import type { HostEvent } from '@dramaturg/host';
import type { ServedOperations } from '../operations.ts';
import type { AnswerPart } from './answer-part.ts';
import { ReplyText } from './reply-text.ts';

/** What a front end needs of a host. */
export type FrontEndHost = Pick<ServedOperations, 'receive' | 'events' | 'get' | 'transcript'>;

/** A message of a person at a front end. */
export interface FrontEndMessage {
  /** The contact, as the front end names it. */
  readonly contact: string;
  readonly text: string;
  /** The same when the message is sent again. */
  readonly id: string;
  /** The conversation that begins, when no instance holds the contact. */
  readonly definition: string;
}

/** How long to look for a turn of an instance that does nothing, in milliseconds. */
const idleMs = 250;

/** How many lines of a transcript are read at once. */
const pageLength = 1_000;

/**
 * Hands a message to the conversation of its contact, and follows the turn that answers it. A message that was received before is
 * answered with what was said then.
 */
export async function* answerTo(
  host: FrontEndHost,
  { contact, text, id, definition }: FrontEndMessage,
  signal: AbortSignal,
): AsyncGenerator<AnswerPart, void> {
  const events = host.events({ contact, parts: true, signal })[Symbol.asyncIterator]();
  try {
    const routed = await host.receive({ contact, text, id, orStart: { definition } });
    if (routed.instance === null)
      return yield { type: 'failed', code: routed.code, detail: routed.because };
    const { instance } = routed;
    const isRepeated = !routed.accepted && routed.code === 'message/repeated';
    if (!routed.accepted && !isRepeated)
      return yield { type: 'failed', code: routed.code, detail: routed.because };
    yield { type: 'accepted', instance };
    if (isRepeated) {
      const before = await saidAfter(host, instance, id);
      if (before.length > 0) return yield* repeated(host, instance, before);
    }
    yield* turnOf(host, instance, events, isRepeated ? undefined : id);
  } finally {
    await events.return?.();
  }
}

/** Follows the reply that a conversation is making, with its text so far. */
export async function* runningAnswer(
  host: FrontEndHost,
  instance: string,
  signal: AbortSignal,
): AsyncGenerator<AnswerPart, void> {
  const events = host.events({ instance, parts: true, signal })[Symbol.asyncIterator]();
  try {
    yield* turnOf(host, instance, events, undefined);
  } finally {
    await events.return?.();
  }
}

type View = Awaited<ReturnType<FrontEndHost['get']>>;

/** Whether a turn runs. */
export function isBusy({ waits, ended }: View): boolean {
  return !ended && waits.some((wait) => wait.for === 'call' || wait.for === 'retry');
}

/** @param id the message whose turn is awaited; undefined for the turn that runs */
async function* turnOf(
  host: FrontEndHost,
  instance: string,
  events: AsyncIterator<HostEvent>,
  id: string | undefined,
): AsyncGenerator<AnswerPart, void> {
  const view = await host.get(instance);
  let isRecorded = id === undefined;
  let hasBegun = id === undefined && isBusy(view);
  const following = () => {
    const result = events.next();
    // A failure is thrown where it is awaited, which a turn that ends before does not do.
    result.catch(() => {});
    return result;
  };
  let next = following();
  let reply = new ReplyText();
  for (;;) {
    const mayBeIdle = !hasBegun && !isBusy(view);
    const found = await (mayBeIdle ? Promise.race([next, pause(idleMs)]) : next);
    // Paused, or with a person: the message waits until it goes on.
    if (found === undefined) return yield { type: 'done', state: view.state };
    if (found.done) return;
    next = following();
    const { instance: of, source: emitter, event } = found.value;
    if (of !== instance) continue;
    if (event.type === 'message.recorded' && event['id'] === id) isRecorded = true;
    else if (event.type === 'turn.started' && isRecorded) hasBegun = true;
    else if (event.type === 'instance.ended')
      return yield { type: 'done', state: String(event['state']) };
    if (!hasBegun) continue;
    if (event.type === 'message.part') yield* reply.add(event);
    else if (event.type === 'message.sent' && emitter === 'flow') {
      yield* reply.end(event);
      reply = new ReplyText();
    } else if (event.type === 'turn.failed')
      return yield {
        type: 'failed',
        code: String(event['code']),
        detail: String(event['message']),
      };
    else if (event.type === 'state.entered' && emitter === 'lifecycle') {
      const state = String(event['state']);
      if (event['kind'] !== 'working' && event['kind'] !== 'terminal')
        return yield { type: 'done', state };
      yield { type: 'state', state };
    }
  }
}

interface Said {
  readonly id: string;
  readonly text: string;
}

/** What was said to a contact after a message, until the contact's next one. */
async function saidAfter(
  host: FrontEndHost,
  instance: string,
  id: string,
): Promise<readonly Said[]> {
  const said: Said[] = [];
  let isAfter = false;
  for (let from = 0; ; from += pageLength) {
    const lines = await host.transcript(instance, { from, limit: pageLength });
    for (const line of lines) {
      if (line.role === 'contact' && isAfter) return said;
      if (line.role === 'contact') isAfter = line.id === id;
      else if (isAfter && line.role !== 'system') said.push(line);
    }
    if (lines.length < pageLength) return said;
  }
}

async function* repeated(
  host: FrontEndHost,
  instance: string,
  said: readonly Said[],
): AsyncGenerator<AnswerPart, void> {
  for (const { id: key, text } of said) yield* new ReplyText().end({ key, text });
  yield { type: 'done', state: (await host.get(instance)).state };
}

function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms).unref();
  });
}

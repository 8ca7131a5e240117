import type { JsonObject } from '@dramaturg/compiler';
import { HostError, type TranscriptLine } from '@dramaturg/host';
import {
  type Attachment,
  contentOf,
  lastLine,
  messageIdOf,
  pageName,
  receiveEdited,
} from '@dramaturg/host/channel';
import { problemIn, RequestError } from '../failure.ts';
import { defaultLimits } from '../access/limits.ts';
import type { ServedOperations } from '../operations/in-process.ts';

/** The operations of a host that front ends use. */
export type FrontEndHost = Pick<
  ServedOperations,
  'receive' | 'events' | 'get' | 'list' | 'transcript' | 'reportDelivery'
>;

/** A message that a client has. */
export type ClientLine =
  | {
      readonly from: 'contact';
      /** Stays the same when the message is sent again. */
      readonly id: string;
      readonly texts: readonly string[];
      readonly attachments: readonly Attachment[];
      readonly data: JsonObject;
    }
  | { readonly from: 'agent'; readonly texts: readonly ClientText[] };

/** What a client shows of a line of ours. */
export interface ClientText {
  /** The id of the line, or undefined when the client does not keep it. */
  readonly id: string | undefined;
  readonly text: string;
  /** Whether the text replaces what the client had of the line before. It is added to it otherwise. */
  readonly isReplaced?: boolean;
}

/** An answer that a client shows. One without a text answers nothing: its request may have failed. */
export function agentLine(texts: readonly ClientText[]): readonly ClientLine[] {
  return texts.length > 0 ? [{ from: 'agent', texts }] : [];
}

type ContactLine = ClientLine & { readonly from: 'contact' };

/** The position where the answer to a client's last message begins. */
export interface Received {
  readonly instance: string;
  /** The id under which the message is stored, and the index of its line. */
  readonly id: string;
  readonly index: number;
  /** The index of the first line that the client may lack. */
  readonly from: number;
  /** The text that the client has of a line of ours; undefined if it has none. */
  readonly has: (line: Pick<TranscriptLine, 'id' | 'text'>) => string | undefined;
}

export interface NotReceived {
  readonly code: string;
  readonly detail: string;
}

const { bodyBytes: largestBody } = defaultLimits;

/** Number of a contact's latest conversations that are searched. */
const conversationsMax = 3;

/**
 * Gives a client's messages that are not stored yet to the conversation of its contact, in their order. An edited message
 * is a new one.
 *
 * @returns why the last message is refused
 * @throws RequestError, or the error of a host that cannot store
 */
export async function receiveNew(
  host: FrontEndHost,
  contact: string,
  definition: string,
  lines: readonly ClientLine[],
): Promise<Received | NotReceived> {
  const last = lines.findLast(({ from }) => from === 'contact');
  if (!last)
    throw new RequestError('front-end/no-message', 'There is no message of a user to answer.');
  const known =
    lines.length > 1
      ? await lastKnown(host, contact, lines.slice(0, lines.indexOf(last)))
      : undefined;
  const asked = known?.at ?? lines.findLastIndex(({ from }) => from === 'agent');
  const isNew = (line: ClientLine, index: number) => line === last || index > asked;
  const unknown = lines.filter((line, index) => line.from === 'contact' && isNew(line, index));
  if (JSON.stringify(unknown).length > largestBody)
    throw new RequestError(
      'request/too-large',
      `The new messages have more than ${largestBody} characters.`,
    );
  for (const line of unknown as readonly ContactLine[]) {
    const received = await receive(host, contact, definition, line);
    if ('instance' in received) {
      if (line !== last) continue;
      const { instance, id } = received;
      const view = await host.get(instance);
      const placed = await lastLine(
        (range) => host.transcript(instance, range),
        view.transcriptLength,
        (each) => each.role === 'contact' && each.id === id,
      );
      const index = placed?.index ?? view.transcriptLength;
      return {
        instance,
        id,
        index,
        from: known?.instance === instance ? known.index + 1 : index + 1,
        has: shownIn(lines),
      };
    }
    if (line === last || received.isForNow) return received;
  }
  throw new Error('A client has a last message.');
}

function shownIn(lines: readonly ClientLine[]): Received['has'] {
  const texts = new Map<string, string>();
  const unnamed = new Set<string>();
  for (const line of lines)
    for (const { id, text, isReplaced } of line.from === 'agent' ? line.texts : [])
      if (id === undefined) unnamed.add(text);
      else texts.set(id, isReplaced ? text : (texts.get(id) ?? '') + text);
  return ({ id, text }) => texts.get(id) ?? (unnamed.has(text) ? text : undefined);
}

async function receive(
  host: FrontEndHost,
  contact: string,
  definition: string,
  { id: given, texts, attachments, data: more }: ContactLine,
): Promise<
  | { readonly instance: string; readonly id: string }
  | (NotReceived & { readonly isForNow: boolean })
> {
  const { text, data } = contentOf({ text: texts.join('\n'), attachments, data: more });
  try {
    const message = { contact, text, id: given, ...(data && { data }) };
    const orStart = { definition, channel: pageName };
    const { id, ...routed } = await receiveEdited(host, { ...message, orStart });
    if (routed.instance !== null && (routed.accepted || routed.code === 'message/repeated'))
      return { instance: routed.instance, id };
    const { code, because, retryAfterMs } = routed;
    return { code, detail: because, isForNow: retryAfterMs !== undefined };
  } catch (error) {
    const problem = problemIn(error);
    if (problem === undefined || problem.status >= 500) throw error;
    const { code, detail } = problem;
    return { code, detail, isForNow: !(error instanceof HostError) };
  }
}

/** The last message of a client that is stored: its index in the client's list and in the transcript. */
async function lastKnown(
  host: FrontEndHost,
  contact: string,
  lines: readonly ClientLine[],
): Promise<{ readonly at: number; readonly instance: string; readonly index: number } | undefined> {
  const places = new Map<unknown, number>();
  for (const [at, line] of lines.entries())
    if (line.from === 'contact') places.set(await messageIdOf(line.id), at);
  if (places.size === 0) return undefined;
  const open = await host.list({ contact, ended: false, limit: conversationsMax });
  const all = open.items.length > 0 ? open : await host.list({ contact, limit: 1_000 });
  for (const { id: instance } of all.items.slice(-conversationsMax).toReversed()) {
    const { transcriptLength } = await host.get(instance);
    const placeOf = ({ id, data }: TranscriptLine) =>
      places.get(id) ?? places.get(data?.['replaces']);
    const found = await lastLine(
      (range) => host.transcript(instance, range),
      transcriptLength,
      (line) => line.role === 'contact' && placeOf(line) !== undefined,
    );
    if (found) return { at: placeOf(found.line)!, instance, index: found.index };
  }
  return undefined;
}

import type { JsonObject } from '@dramaturg/compiler';
import { type Attachment, sseResponse } from '@dramaturg/host/channel';
import * as z from 'zod';
import { answerOf, type AnswerPart, unreadAnswer } from './outlet.ts';
import { dataFrame, dataFrames } from './ag-ui.ts';
import {
  agentLine,
  type ClientLine,
  type ClientText,
  type FrontEndHost,
  receiveNew,
} from './inlet.ts';

const messagePart = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  url: z.string().optional(),
  mediaType: z.string().optional(),
  filename: z.string().optional(),
  data: z.unknown().optional(),
  providerMetadata: z.unknown().optional(),
});

/** The fields of the AI SDK's chat transport that are read. Spec: AI SDK UI, DefaultChatTransport */
export const chatInput = z.looseObject({
  id: z.string().min(1),
  messages: z.array(
    z.looseObject({
      id: z.string().min(1),
      role: z.string(),
      metadata: z.unknown().optional(),
      parts: z.array(messagePart),
    }),
  ),
});

type ChatInput = z.output<typeof chatInput>;

const headers = { 'x-vercel-ai-ui-message-stream': 'v1' };

/**
 * Runs the turn of a conversation as a stream of UI messages of the AI SDK. The id of the chat is the contact.
 *
 * @param input checked with `chatInput`
 * @throws RequestError
 */
export async function aiSdkChat(
  host: FrontEndHost,
  definition: string,
  { id: contact, messages }: ChatInput,
  signal: AbortSignal,
): Promise<Response> {
  const lines = messages.flatMap(lineOf);
  const received = await receiveNew(host, contact, definition, lines);
  if ('code' in received) {
    const failed = async function* failed(): AsyncGenerator<AnswerPart, void> {
      yield { type: 'failed', ...received };
    };
    return sseResponse(() => framesOf(failed()), signal, headers);
  }
  // A page that sends its messages again after an answer adds what comes to that answer.
  const isWhole = messages.at(-1)?.role !== 'assistant';
  const following = { ...received, contact, isWhole };
  return sseResponse(
    (leaving) => framesOf(answerOf(host, following, leaving), received),
    signal,
    headers,
  );
}

/** Streams an answer again from its beginning, if the page has not read all of it. @returns 204 when there is none */
export async function resumedChat(
  host: FrontEndHost,
  contact: string,
  definition: string,
  signal: AbortSignal,
): Promise<Response> {
  const unread = await unreadAnswer(host, contact, definition);
  if (!unread) return new Response(null, { status: 204 });
  const following = { ...unread, isWhole: true };
  return sseResponse(
    (leaving) => framesOf(answerOf(host, following, leaving), unread),
    signal,
    headers,
  );
}

/** The answer to a message has the same id whenever it is streamed, so a page shows it once. */
function answerId(message: string): string {
  return `${message}/answer`;
}

function lineOf({
  id,
  role,
  metadata,
  parts,
}: ChatInput['messages'][number]): readonly ClientLine[] {
  if (role === 'assistant') return agentLine(parts.flatMap(shownBy));
  if (role !== 'user') return [];
  const texts = parts.flatMap(({ type, text }) => (type === 'text' ? (text ?? []) : []));
  const own = parts.filter(({ type, data }) => type.startsWith('data-') && data !== undefined);
  const data = {
    ...(metadata !== undefined && metadata !== null && { metadata }),
    ...(own.length > 0 && { parts: own.map(({ type, data: value }) => ({ type, data: value })) }),
  };
  const attachments = parts.flatMap(fileOf);
  return [{ from: 'contact', id, texts, attachments, data: data as JsonObject }];
}

/** What a part of an answer shows: the page keeps the metadata that came with it. */
function shownBy({
  type,
  text,
  providerMetadata,
  data,
}: z.output<typeof messagePart>): readonly ClientText[] {
  if (type === 'text' && text !== undefined) {
    const named = z.object({ dramaturg: z.object({ id: z.string() }) }).safeParse(providerMetadata);
    return [{ id: named.data?.dramaturg.id, text }];
  }
  const replaced = z.object({ id: z.string(), text: z.string() }).safeParse(data);
  return type === 'data-replaced' && replaced.success
    ? [{ ...replaced.data, isReplaced: true }]
    : [];
}

function fileOf({
  type,
  url,
  mediaType,
  filename,
}: z.output<typeof messagePart>): readonly Attachment[] {
  if (type !== 'file' || url === undefined) return [];
  return [{ url, ...(mediaType && { type: mediaType }), ...(filename && { name: filename }) }];
}

async function* framesOf(
  parts: AsyncIterable<AnswerPart>,
  answered?: { readonly instance: string; readonly id: string },
): AsyncGenerator<string, void> {
  yield* dataFrames(chunksOf(parts, answered), (_, errorText) => ({ type: 'error', errorText }));
  yield dataFrame('[DONE]');
}

async function* chunksOf(
  parts: AsyncIterable<AnswerPart>,
  answered?: { readonly instance: string; readonly id: string },
): AsyncGenerator<object, void> {
  yield { type: 'start', ...(answered && { messageId: answerId(answered.id) }) };
  if (answered)
    yield { type: 'data-instance', id: 'instance', data: { instance: answered.instance } };
  let isDone = false;
  for await (const part of parts) {
    isDone ||= part.type === 'done' || part.type === 'failed';
    yield* chunksFor(part);
  }
  if (!isDone) yield { type: 'error', errorText: 'The host has stopped. Send the message again.' };
  yield { type: 'finish' };
}

function* chunksFor(part: AnswerPart): Generator<object, void> {
  switch (part.type) {
    case 'text-start': {
      const { key: id, by = null } = part;
      const dramaturg = { id, ...(part.isByHand && { role: 'manual', by }) };
      yield { type: 'text-start', id, providerMetadata: { dramaturg } };
      break;
    }
    case 'text-delta':
      yield { type: 'text-delta', id: part.key, delta: part.text };
      break;
    case 'text-end':
      yield { type: 'text-end', id: part.key };
      // A sent text cannot be withdrawn: the page replaces it by the stored one.
      if (part.isReplaced)
        yield { type: 'data-replaced', id: part.key, data: { id: part.key, text: part.text } };
      break;
    case 'text-withdrawn':
      yield { type: 'data-replaced', id: part.key, data: { id: part.key, text: '' } };
      break;
    case 'state':
      yield { type: 'data-state', id: 'state', data: { state: part.state } };
      break;
    case 'done': {
      const { state, reason } = part;
      yield { type: 'data-state', id: 'state', data: { state, reason } };
      break;
    }
    case 'failed':
      yield { type: 'error', errorText: part.detail };
  }
}

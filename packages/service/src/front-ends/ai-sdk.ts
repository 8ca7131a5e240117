import * as z from 'zod';
import { RequestError } from '../failure.ts';
import { sseResponse } from '@dramaturg/host/channel';
import type { AnswerPart } from './answer-part.ts';
import { answerTo, type FrontEndHost, isBusy, runningAnswer } from './answer.ts';
import { dataFrame, dataFrames } from './data-frames.ts';

/** What the chat transport of the AI SDK sends, as far as it is read. Spec: AI SDK UI, DefaultChatTransport */
export const chatInput = z.looseObject({
  id: z.string().min(1),
  trigger: z.string().optional(),
  messages: z.array(
    z.looseObject({
      id: z.string().min(1),
      role: z.string(),
      parts: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
    }),
  ),
});

type ChatInput = z.output<typeof chatInput>;

const headers = { 'x-vercel-ai-ui-message-stream': 'v1' };

/**
 * Runs the turn of a conversation as a stream of UI messages of the AI SDK. The chat is the contact.
 *
 * @param input checked with `chatInput`
 * @throws RequestError
 */
export function aiSdkChat(
  host: FrontEndHost,
  definition: string,
  { id: contact, trigger, messages }: ChatInput,
  signal: AbortSignal,
): Response {
  if (trigger !== undefined && trigger !== 'submit-message')
    throw new RequestError('front-end/no-regeneration', 'A stored answer is not made again.', {
      hint: 'Send a new message.',
    });
  const last = messages.at(-1);
  if (last?.role !== 'user')
    throw new RequestError('front-end/no-message', 'The last message is not that of a user.');
  const text = last.parts.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('');
  const message = { contact, text, id: last.id, definition };
  return sseResponse((leaving) => framesOf(answerTo(host, message, leaving)), signal, headers);
}

/** Goes on with the reply that is being made, from its beginning. @returns 204 when there is none */
export async function resumedChat(
  host: FrontEndHost,
  instance: string | undefined,
  signal: AbortSignal,
): Promise<Response> {
  if (instance === undefined || !isBusy(await host.get(instance)))
    return new Response(null, { status: 204 });
  return sseResponse(
    (leaving) => framesOf(runningAnswer(host, instance, leaving)),
    signal,
    headers,
  );
}

async function* framesOf(parts: AsyncIterable<AnswerPart>): AsyncGenerator<string, void> {
  yield* dataFrames(chunksOf(parts), (_, errorText) => ({ type: 'error', errorText }));
  yield dataFrame('[DONE]');
}

async function* chunksOf(parts: AsyncIterable<AnswerPart>): AsyncGenerator<object, void> {
  yield { type: 'start' };
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
    case 'accepted':
      yield { type: 'data-instance', id: 'instance', data: { instance: part.instance } };
      break;
    case 'text-start':
      yield { type: 'text-start', id: part.key };
      break;
    case 'text-delta':
      yield { type: 'text-delta', id: part.key, delta: part.text };
      break;
    case 'text-end':
      yield { type: 'text-end', id: part.key };
      // A text cannot be taken back: a page shows the stored one in its place.
      if (part.isReplaced)
        yield { type: 'data-replaced', id: part.key, data: { id: part.key, text: part.text } };
      break;
    case 'text-withdrawn':
      yield { type: 'data-replaced', id: part.key, data: { id: part.key, text: '' } };
      break;
    case 'state':
    case 'done':
      yield { type: 'data-state', id: 'state', data: { state: part.state } };
      break;
    case 'failed':
      yield { type: 'error', errorText: part.detail };
  }
}

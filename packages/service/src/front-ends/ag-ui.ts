import { type Attachment, sseResponse } from '@dramaturg/host/channel';
import * as z from 'zod';
import { problemIn } from '../failure.ts';
import { answerOf, type AnswerPart } from './outlet.ts';
import {
  agentLine,
  type ClientLine,
  type FrontEndHost,
  type NotReceived,
  type Received,
  receiveNew,
} from './inlet.ts';

const source = z.looseObject({
  type: z.string(),
  value: z.string(),
  mimeType: z.string().optional(),
});

/** A part of the content of a message: text, or a file in one of the two forms of the protocol. */
const contentPart = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  source: source.optional(),
  mimeType: z.string().optional(),
  url: z.string().optional(),
  data: z.string().optional(),
  filename: z.string().optional(),
});

/** The fields of a run's input that are read. Spec: AG-UI, RunAgentInput */
export const runInput = z.looseObject({
  threadId: z.string().min(1),
  runId: z.string().min(1),
  messages: z.array(
    z.looseObject({
      id: z.string().min(1),
      role: z.string(),
      // Messages of tools and activities have other contents.
      content: z.unknown().optional(),
    }),
  ),
});

type RunInput = z.output<typeof runInput>;

/**
 * Runs the turn of a conversation as a run of AG-UI. The id of the thread is the contact.
 *
 * @param input checked with `runInput`
 */
export async function agUiRun(
  host: FrontEndHost,
  definition: string,
  input: RunInput,
  signal: AbortSignal,
): Promise<Response> {
  const { threadId: contact, messages } = input;
  const received = await receiveNew(host, contact, definition, messages.flatMap(lineOf));
  return sseResponse(
    (leaving) => dataFrames(agUiEvents(host, input, received, leaving), runError),
    signal,
  );
}

function lineOf({ id, role, content }: RunInput['messages'][number]): readonly ClientLine[] {
  const given = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const parts = z.array(contentPart).safeParse(given).data ?? [];
  const texts = parts.flatMap(({ text }) => text ?? []);
  if (role === 'assistant') return agentLine(texts.map((text) => ({ id, text })));
  if (role !== 'user') return [];
  return [{ from: 'contact', id, texts, attachments: parts.flatMap(fileOf), data: {} }];
}

function fileOf(part: z.output<typeof contentPart>): readonly Attachment[] {
  const { source: from, filename: name } = part;
  const type = from?.mimeType ?? part.mimeType;
  const bytes = from?.type === 'data' ? from.value : part.data;
  const url =
    bytes === undefined ? (from?.value ?? part.url) : `data:${type ?? ''};base64,${bytes}`;
  if (url === undefined) return [];
  return [{ url, ...(type !== undefined && { type }), ...(name !== undefined && { name }) }];
}

async function* agUiEvents(
  host: FrontEndHost,
  { threadId, runId, messages }: RunInput,
  received: Received | NotReceived,
  signal: AbortSignal,
): AsyncGenerator<object, void> {
  yield { type: 'RUN_STARTED', threadId, runId };
  if ('code' in received) return yield runError(received.code, received.detail);
  const { instance } = received;
  let isReplaced = false;
  const said = new Map<string, string>();
  const withdrawn = new Set<string>();
  const following = { ...received, contact: threadId, isWhole: false };
  for await (const part of answerOf(host, following, signal)) {
    if (part.type === 'text-withdrawn') withdrawn.add(part.key);
    if (part.type === 'text-end') {
      said.set(part.key, part.text);
      isReplaced ||= part.isReplaced;
    }
    const isOver = part.type === 'done' || part.type === 'failed';
    if (isOver && (isReplaced || withdrawn.size > 0)) {
      const before = messages.filter(({ id }) => !said.has(id) && !withdrawn.has(id));
      const ours = Array.from(said, ([id, content]) => ({ id, role: 'assistant', content }));
      yield { type: 'MESSAGES_SNAPSHOT', messages: [...before, ...ours] };
    }
    if (part.type === 'failed') return yield runError(part.code, part.detail);
    // The end was already sent when the text was withdrawn.
    if (part.type === 'text-end' && withdrawn.has(part.key)) continue;
    yield* eventsOf(part, { threadId, runId, instance });
    if (part.type === 'done') return;
  }
  yield runError('host/stopped', 'The host has stopped. Send the message again with the same id.');
}

function* eventsOf(
  part: AnswerPart,
  run: { readonly threadId: string; readonly runId: string; readonly instance: string },
): Generator<object, void> {
  const { instance, ...ids } = run;
  switch (part.type) {
    case 'text-start': {
      const name = part.by === undefined ? {} : { name: part.by };
      yield { type: 'TEXT_MESSAGE_START', messageId: part.key, role: 'assistant', ...name };
      break;
    }
    case 'text-delta':
      yield { type: 'TEXT_MESSAGE_CONTENT', messageId: part.key, delta: part.text };
      break;
    case 'text-withdrawn':
    case 'text-end':
      yield { type: 'TEXT_MESSAGE_END', messageId: part.key };
      break;
    case 'state':
      yield { type: 'STATE_SNAPSHOT', snapshot: { instance, state: part.state } };
      break;
    case 'done': {
      const { state, reason } = part;
      yield { type: 'STATE_SNAPSHOT', snapshot: { instance, state, reason } };
      yield { type: 'RUN_FINISHED', ...ids };
      break;
    }
    case 'failed':
  }
}

function runError(code: string, message: string): object {
  return { type: 'RUN_ERROR', code, message };
}

/**
 * Server-sent events, each the JSON of a value.
 *
 * @param failureOf makes the last value after a failure, in the protocol's form
 */
export async function* dataFrames(
  values: AsyncIterable<object>,
  failureOf: (code: string, message: string) => object,
): AsyncGenerator<string, void> {
  try {
    for await (const value of values) yield dataFrame(JSON.stringify(value));
  } catch (error) {
    const { code, detail } = problemIn(error) ?? {
      code: 'host/failure',
      detail: 'Dramaturg has failed.',
    };
    yield dataFrame(JSON.stringify(failureOf(code, detail)));
  }
}

export function dataFrame(text: string): string {
  return `data: ${text}\n\n`;
}

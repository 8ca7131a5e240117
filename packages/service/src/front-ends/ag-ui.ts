import * as z from 'zod';
import type { AnswerPart } from './answer-part.ts';
import { sseResponse } from '@dramaturg/host/channel';
import { answerTo, type FrontEndHost } from './answer.ts';
import { dataFrames } from './data-frames.ts';

/** The input of a run, as far as it is read. Spec: AG-UI, RunAgentInput */
export const runInput = z.looseObject({
  threadId: z.string().min(1),
  runId: z.string().min(1),
  messages: z.array(
    z.looseObject({
      id: z.string().min(1),
      role: z.string(),
      content: z
        .union([
          z.string(),
          z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
        ])
        .optional(),
    }),
  ),
});

type RunInput = z.output<typeof runInput>;

/** The last message of the person. @returns undefined when there is none */
function lastOf({
  messages,
}: RunInput): { readonly id: string; readonly text: string } | undefined {
  const last = messages.findLast(({ role }) => role === 'user');
  if (!last) return undefined;
  const { id, content = '' } = last;
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return { id, text: parts.map(({ text = '' }) => text).join('') };
}

/**
 * Runs the turn of a conversation as a run of AG-UI. The thread is the contact.
 *
 * @param input checked with `runInput`
 */
export function agUiRun(
  host: FrontEndHost,
  definition: string,
  input: RunInput,
  signal: AbortSignal,
): Response {
  return sseResponse(
    (leaving) => dataFrames(agUiEvents(host, definition, input, leaving), runError),
    signal,
  );
}

async function* agUiEvents(
  host: FrontEndHost,
  definition: string,
  input: RunInput,
  signal: AbortSignal,
): AsyncGenerator<object, void> {
  const { threadId, runId } = input;
  yield { type: 'RUN_STARTED', threadId, runId };
  const message = lastOf(input);
  if (!message)
    return yield runError('front-end/no-message', 'The run has no message of a user to answer.');
  let isReplaced = false;
  const withdrawn = new Set<string>();
  const said = new Map<string, string>();
  let instance = '';
  for await (const part of answerTo(host, { contact: threadId, definition, ...message }, signal)) {
    if (part.type === 'accepted') instance = part.instance;
    if (part.type === 'text-end') {
      said.set(part.key, part.text);
      isReplaced ||= part.isReplaced;
    }
    if (part.type === 'text-withdrawn') withdrawn.add(part.key);
    const isOver = part.type === 'done' || part.type === 'failed';
    if (isOver && (isReplaced || withdrawn.size > 0))
      yield { type: 'MESSAGES_SNAPSHOT', messages: [...textsOf(input), ...agentMessages(said)] };
    if (part.type === 'failed') return yield runError(part.code, part.detail);
    // Its end was given when it was withdrawn.
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
    case 'text-start':
      yield { type: 'TEXT_MESSAGE_START', messageId: part.key, role: 'assistant' };
      break;
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
    case 'done':
      yield { type: 'STATE_SNAPSHOT', snapshot: { instance, state: part.state } };
      yield { type: 'RUN_FINISHED', ...ids };
      break;
    case 'accepted':
    case 'failed':
  }
}

function textsOf({ messages }: RunInput): readonly object[] {
  return messages.filter(({ role }) => role === 'user' || role === 'assistant');
}

function agentMessages(said: ReadonlyMap<string, string>): readonly object[] {
  return Array.from(said, ([id, content]) => ({ id, role: 'assistant', content }));
}

function runError(code: string, message: string): object {
  return { type: 'RUN_ERROR', code, message };
}

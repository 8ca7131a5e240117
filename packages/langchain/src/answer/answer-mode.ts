import { isRecord } from '@dramaturg/compiler';
import type { ChatModel } from '../model/chat-model.ts';
import { statusOf } from '../model/retry.ts';
import { NoAnswerError } from '../model/model-errors.ts';

/** The ways to get a closed answer, the most reliable first. */
const modes = ['jsonSchema', 'functionCalling', 'text'] as const;
export type AnswerMode = (typeof modes)[number];

/** The best mode that the model may support. LangChain does not have a profile for every model: requests find out. */
export function bestMode(model: ChatModel): AnswerMode {
  const { profile, bindTools, withStructuredOutput } = model;
  if (bindTools === undefined) return 'text';
  const hasSchemas = withStructuredOutput !== undefined && profile?.structuredOutput !== false;
  if (hasSchemas && isSchemaMode(profile)) return 'jsonSchema';
  return lacksTools(model) ? 'text' : 'functionCalling';
}

export function lacksTools({ profile, bindTools }: ChatModel): boolean {
  return bindTools === undefined || profile?.toolCalling === false;
}

function isSchemaMode(profile: ChatModel['profile']): boolean {
  return profile?.structuredOutput === true || Object.keys(profile ?? {}).length === 0;
}

export function nextMode(mode: AnswerMode): AnswerMode | undefined {
  return modes[modes.indexOf(mode) + 1];
}

/** Whether a server rejected the mode of a request, and not its content. */
export function isUnsupported(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof NoAnswerError) return false;
  const status = statusOf(cause);
  const text = isRecord(cause) ? String(cause['message']) : '';
  const isAboutForm =
    /response_format|json_?schema|structured|\btools?\b|tool_choice|function|not support/i.test(
      text,
    );
  return (
    (status === undefined || [400, 415, 422, 501].includes(status)) &&
    isAboutForm &&
    !/context/i.test(text)
  );
}

import type { JsonObject } from '@dramaturg/compiler';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';

/** Any chat model of LangChain. */
export type ChatModel = Pick<BaseChatModel, 'invoke' | 'stream'> & {
  readonly bindTools?: BaseChatModel['bindTools'];
  readonly withStructuredOutput?: unknown;
  readonly _llmType?: () => string;
  readonly profile?: {
    readonly structuredOutput?: boolean;
    readonly toolCalling?: boolean;
    readonly imageInputs?: boolean;
    readonly pdfInputs?: boolean;
    readonly audioInputs?: boolean;
  };
};

/** A message of a prompt. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  /** Files that the person has sent with it: entries of `attachments` in the data of the line. */
  readonly files?: readonly JsonObject[];
  /** Whether the next call of its kind begins with everything up to here, unless the constant part has changed. */
  readonly isSettled?: boolean;
}

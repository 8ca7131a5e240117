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
  };
};

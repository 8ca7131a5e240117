import type { JsonObject } from '@dramaturg/compiler';
import type { ToolLimits } from '@dramaturg/host/tools';
import type { EmbeddingsInterface } from '@langchain/core/embeddings';
import type { Agent } from './agents/agent.ts';
import type { Memory } from './memory/memory.ts';
import type { ChatModel } from './model/chat-model.ts';
import type { Tool } from './tools/plain-tools.ts';

export interface LangchainOptions {
  /** A LangChain chat model, or its name: `openai:gpt-6-luna`, `anthropic:...`, `ollama:...`. A name is loaded at the first call. */
  readonly model: string | ChatModel;
  /** The server of a model given by name, such as `http://localhost:8000/v1`. Default: the server of its provider. */
  readonly baseUrl?: string | undefined;
  /** More fields for a model given by name, in LangChain's spelling: `temperature`, `apiKey`, `timeout` ... */
  readonly modelOptions?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The number of retries after a rate limit or a server error. Default: 3 for a model given by name, and 0 for a model
   * object, which retries by itself (`maxRetries`).
   */
  readonly retries?: number | undefined;
  /** Milliseconds before the first retry; doubles with each further retry. Default 500. */
  readonly retryDelay?: number | undefined;
  /**
   * The output mode for closed answers. Default: the best supported one. Unsupported modes are detected automatically:
   * when a server rejects one, the next is used.
   */
  readonly answers?: 'jsonSchema' | 'functionCalling' | 'text' | undefined;
  /** Tools for the port `callTool`, by the names that definitions use. */
  readonly tools?: Readonly<Record<string, Tool>> | readonly Tool[] | undefined;
  readonly toolLimits?: ToolLimits | undefined;
  /** Agents for the port `runAgent`, by the names that definitions use. */
  readonly agents?: Readonly<Record<string, Agent>> | undefined;
  /** Lets the model play agents that are not in `agents`. Without it, their tasks fail. */
  readonly playAgents?: boolean | undefined;
  /** The memory that the port `recall` looks up. */
  readonly memory?: Memory | undefined;
  /** Compares texts of `memory` by meaning. Without it they are compared by their words. */
  readonly embeddings?: EmbeddingsInterface | undefined;
  /**
   * Asks for the next message in the same request as for data or a choice. The machine still decides: the message is used only if
   * it was written for what the machine then wants to say. If not, the model is asked for it. Such a message is not streamed.
   * Default: false.
   */
  readonly combineReplies?: boolean | undefined;
  /**
   * The number of lines of the conversation that a model receives. Default 100. The oldest lines are left out in steps of half
   * this number.
   */
  readonly historyLines?: number | undefined;
  /**
   * Finds a file that a person has sent: its address `data:`, or for images `https:`. By default, the files that the host keeps. A
   * model that takes images, PDF or audio gets the last four; one that judges, those of the new lines. Of other files, a model gets
   * the names.
   */
  readonly attachments?: AttachmentFinder | undefined;
}

/** @param attachment as it is in the data of the message: `url`, `id`, `type`, `name`, `size`, `key` */
export type AttachmentFinder = (
  attachment: JsonObject,
  call: { readonly signal: AbortSignal },
) => string | undefined | Promise<string | undefined>;

import type { EmbeddingsInterface } from '@langchain/core/embeddings';
import type { Agent } from './agents/agent.ts';
import type { Memory } from './memory/memory.ts';
import type { ChatModel } from './model/chat-model.ts';
import type { Tool, ToolLimits } from './tools/tool.ts';

export interface LangchainOptions {
  /** A LangChain chat model, or its name: `openai:gpt-5`, `anthropic:...`, `ollama:...`. A name is loaded at the first call. */
  readonly model: string | ChatModel;
  /** The server of a model that is given by its name, if not its provider's: `http://localhost:8000/v1`. */
  readonly baseUrl?: string | undefined;
  /** More fields for a model that is given by its name, in LangChain's spelling: `temperature`, `apiKey`, `timeout` ... */
  readonly modelOptions?: Readonly<Record<string, unknown>> | undefined;
  /**
   * How often a call is repeated after a rate limit or a server's error. Default: 3 for a model that is given by its
   * name. A model object has retries of its own (`maxRetries`), so there the default is 0.
   */
  readonly retries?: number | undefined;
  /** Milliseconds before the first repetition, doubled before each further one. Default 500. */
  readonly retryDelay?: number | undefined;
  /**
   * How closed answers are asked for. Default: the best the model has, which is found out as it goes: a server that
   * refuses one way is asked in the next.
   */
  readonly answers?: 'jsonSchema' | 'functionCalling' | 'text' | undefined;
  /** Tools for the port `callTool`, by the names that definitions call them. */
  readonly tools?: Readonly<Record<string, Tool>> | readonly Tool[] | undefined;
  readonly toolLimits?: ToolLimits | undefined;
  /** Agents for the port `runAgent`, by the names that definitions call them. */
  readonly agents?: Readonly<Record<string, Agent>> | undefined;
  /** Lets the model play the agents that are not in `agents`. Otherwise a task that names one fails. */
  readonly playAgents?: boolean | undefined;
  /** What the port `recall` looks up. */
  readonly memory?: Memory | undefined;
  /** Compares texts of `memory` by meaning; without it they are compared by their words. */
  readonly embeddings?: EmbeddingsInterface | undefined;
  /** How many lines of the conversation a model is given. Default 40. */
  readonly historyLines?: number | undefined;
}

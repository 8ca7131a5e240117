import { hash } from 'node:crypto';
import { type JsonObject, PortError, type PortName } from '@dramaturg/compiler';
import { ThoughtFilter } from '@dramaturg/compiler/machine';
import { protectSecretsIn } from '@dramaturg/compiler/secrets';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { LangchainOptions } from '../options.ts';
import type { Asking } from './asking.ts';
import type { ChatModel, Message } from './chat-model.ts';
import { type FileBlock, type FileBlocks, fileBlocks } from './file-blocks.ts';
import { type Completion, CompletionParts, readCompletion } from './completion.ts';
import {
  cutOffError,
  type ModelContext,
  modelFailure,
  NoCompletionError,
  refusalError,
  statusOf,
  unusableAnswer,
  withRetries,
} from './model-errors.ts';

/** The maximum length of an answer, in UTF-16 units: a longer one means that the model does not stop. */
const longestAnswer = 500_000;

/** A tool as sent to models, with a name that providers accept. */
export interface WireTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

interface Use {
  readonly tools?: readonly WireTool[];
  /** Makes the model call this tool. */
  readonly mustCall?: string;
}

/**
 * The chat model of the ports: loads it once, asks it with retries, and words its errors for people.
 *
 * Owns the loaded models, one without a token limit and one with the latest limit.
 */
export class Model {
  readonly #options: LangchainOptions;
  /** The loaded models, by the maximum number of tokens of an answer: the last limit, and none. */
  readonly #loading = new Map<number | undefined, Promise<ChatModel>>();

  constructor(options: LangchainOptions) {
    this.#options = options;
    const { model, modelOptions, baseUrl, embeddings } = options;
    protectSecretsIn({ model, modelOptions, baseUrl, embeddings });
  }

  /** The mode for closed answers, if the user has chosen one. */
  get answers(): LangchainOptions['answers'] {
    return this.#options.answers;
  }

  /**
   * Whether the schema of an answer is part of the prompt. Providers render it before the messages. A self-hosted server uses it
   * as a grammar instead, which does not change the prompt and guarantees that the answer fits.
   */
  get countsForm(): boolean {
    return this.#options.baseUrl === undefined;
  }

  /** Loads the model. */
  async load(port: PortName = 'reply'): Promise<ChatModel> {
    try {
      return await this.#load();
    } catch (error) {
      throw modelFailure(this.contextOf({ port }), error);
    }
  }

  contextOf({ port }: Pick<Asking, 'port'>): ModelContext {
    return { port, model: this.#name ?? 'given', baseUrl: this.#options.baseUrl };
  }

  /** Asks for an answer as a whole. */
  async ask(messages: readonly Message[], asking: Asking, use: Use = {}): Promise<Completion> {
    return this.#asked(asking, messages, async (model, turns) => {
      const answer = await withTools(model, use).invoke(turns, optionsOf(asking, model));
      return this.#heard(answer, asking);
    });
  }

  /** Asks for JSON that fits a schema, by the provider's own mode for that. */
  async askForJson(
    messages: readonly Message[],
    schema: JsonObject,
    asking: Asking,
    { name, strict }: { readonly name: string; readonly strict: boolean },
  ): Promise<Completion> {
    return this.#asked(asking, messages, async (model, turns) => {
      const json_schema = { name, schema: { title: name, ...schema }, strict };
      // Without streaming, OpenAI's client discards a malformed answer together with its usage.
      const { _llmType: kind } = model;
      if (kind?.call(model) === 'openai')
        return this.#streamed(model, model, turns, asking, {
          response_format: { type: 'json_schema', json_schema },
        });
      const config = { name, method: 'jsonSchema' as const, includeRaw: true as const, strict };
      const structured = (model as unknown as BaseChatModel).withStructuredOutput(
        json_schema.schema,
        config,
      );
      const { raw } = await structured.invoke(turns, optionsOf(asking, model));
      return this.#heard(raw, asking);
    });
  }

  /** Asks for an answer and passes on its text while it is generated. */
  async stream(messages: readonly Message[], asking: Asking, use: Use = {}): Promise<Completion> {
    let hasSpoken = false;
    const hear = (text: string) => {
      hasSpoken = true;
      asking.call.onText(text);
    };
    // Text that was passed on cannot be withdrawn: a retry would repeat it.
    return this.#asked(
      asking,
      messages,
      (model, turns) => this.#streamed(model, withTools(model, use), turns, asking, {}, hear),
      () => !hasSpoken,
    );
  }

  async #streamed(
    model: ChatModel,
    bound: Pick<ChatModel, 'stream'>,
    turns: Turns,
    asking: Asking,
    more: object = {},
    hear: (text: string) => void = () => {},
  ): Promise<Completion> {
    const heard = new CompletionParts();
    const thoughts = new ThoughtFilter();
    const options = { ...more, ...optionsOf(asking, model) };
    for await (const chunk of await bound.stream(turns, options)) {
      const text = thoughts.hear(heard.hear(chunk));
      if (heard.length > longestAnswer)
        throw unusableAnswer(this.contextOf(asking), 'it does not end');
      if (text !== '') hear(text);
    }
    if (heard.isNothing) throw new NoCompletionError();
    return this.#heard(heard.message, asking, heard.refusal);
  }

  #heard(message: unknown, { port, spending, call }: Asking, refusal?: string): Completion {
    const said = readCompletion(message);
    spending.answers(said);
    const because = refusal ?? said.refusal;
    if (because !== undefined) throw refusalError(this.contextOf({ port }), because);
    if (said.cutOff !== undefined)
      throw cutOffError(this.contextOf({ port }), said.cutOff, call.maxTokens !== undefined);
    return said;
  }

  get #name(): string | undefined {
    const { model } = this.#options;
    const name = typeof model === 'string' ? model : (model as { readonly model?: unknown }).model;
    return typeof name === 'string' ? name : undefined;
  }

  #load(most = Infinity): Promise<ChatModel> {
    const { model, baseUrl, modelOptions } = this.#options;
    if (typeof model !== 'string') return Promise.resolve(model);
    // The limit of a call never exceeds the user's own.
    const maxTokens = most < wantedTokens(modelOptions) ? most : undefined;
    const known = this.#loading.get(maxTokens);
    if (known) return known;
    for (const limit of this.#loading.keys()) if (limit !== undefined) this.#loading.delete(limit);
    // LangChain takes a limit with the model, and not with a call.
    const more = maxTokens === undefined ? modelOptions : { ...modelOptions, maxTokens };
    const loading = loadModel({ name: model, baseUrl, modelOptions: more });
    this.#loading.set(maxTokens, loading);
    // The next call may find the key or the package that this one missed.
    loading.catch(() => this.#loading.delete(maxTokens));
    return loading;
  }

  #asked(
    asking: Asking,
    messages: readonly Message[],
    attempt: (model: ChatModel, turns: Turns) => Promise<Completion>,
    mayRepeat?: () => boolean,
  ): Promise<Completion> {
    const { attachments } = this.#options;
    let files: FileBlocks | undefined;
    const once = async (): Promise<Completion> => {
      const model = await this.#load(asking.call.maxTokens);
      files ??= await fileBlocks(messages, model, asking.call, attachments);
      // The name without the provider, as in responses and price lists.
      asking.spending.asks(this.#name?.replace(/^[\w-]+:/, ''));
      try {
        return await attempt(model, inTurn(messages, model, files) as Turns);
      } catch (error) {
        if (files.size === 0 || !refusalsOfContent.has(statusOf(error) ?? 0)) throw error;
        // A file that the provider cannot read must not stop the conversation: the text names it.
        files = new Map();
        return once();
      }
    };
    return this.#guarded(asking, once, mayRepeat);
  }

  async #guarded<Result>(
    asking: Asking,
    attempt: () => Promise<Result>,
    mayRepeat?: () => boolean,
  ): Promise<Result> {
    const { retries, retryDelay = 500, model } = this.#options;
    const times = retries ?? (typeof model === 'string' ? 3 : 0);
    const { signal } = asking.call;
    try {
      signal.throwIfAborted();
      const answer = await withRetries(attempt, { times, delay: retryDelay }, signal, mayRepeat);
      // A stream that is aborted ends as if it were complete.
      signal.throwIfAborted();
      return answer;
    } catch (error) {
      if (signal.aborted) {
        throw new PortError('port/failed', asking.port, 'The call was cancelled.', {
          cause: signal.reason,
        });
      }
      throw modelFailure(this.contextOf(asking), error);
    }
  }
}

/** The user's limit for answers; -1 means none in LangChain. */
function wantedTokens({ maxTokens }: NonNullable<LangchainOptions['modelOptions']> = {}): number {
  return typeof maxTokens === 'number' && maxTokens > 0 ? maxTokens : Infinity;
}

type Turns = Parameters<ChatModel['invoke']>[0];

function optionsOf({ call, conversation }: Asking, model: ChatModel) {
  return { signal: call.signal, ...cacheOptions(model, conversation) };
}

function withTools(
  model: ChatModel,
  { tools = [], mustCall }: Use,
): Pick<ChatModel, 'invoke' | 'stream'> {
  if (tools.length === 0 || model.bindTools === undefined) return model;
  const bound = model.bindTools(
    tools.map((tool) => ({ type: 'function' as const, function: tool })),
    mustCall === undefined ? {} : { tool_choice: mustCall },
  );
  return bound;
}

interface NamedModel {
  /** `provider:model`, or a name whose provider LangChain knows. */
  readonly name: string;
  readonly baseUrl?: string | undefined;
  readonly modelOptions?: Readonly<Record<string, unknown>> | undefined;
}

/** Loads a chat model by its name. LangChain is imported here, because that takes half a second. */
async function loadModel({ name, baseUrl, modelOptions }: NamedModel): Promise<ChatModel> {
  const { initChatModel } = await import('langchain/chat_models/universal');
  const fields = {
    // The retries are our own: LangChain's have no limit for the wait that a server asks for.
    maxRetries: 0,
    ...serverFields(name, baseUrl),
    ...modelOptions,
    // The user's other connection options cannot change the address.
    ...(baseUrl !== undefined && {
      configuration: { ...Object(modelOptions?.['configuration']), baseURL: baseUrl } as object,
    }),
  };
  const loaded = (await initChatModel(name, fields)) as unknown as Configurable;
  // LangChain returns a wrapper that makes a new client for each call with tools, and hides the model's features.
  const { _getModelInstance: instance } = loaded;
  const model = instance === undefined ? loaded : await instance.call(loaded);
  if (isOpenAi(name) && !hasKey(model)) throw new Error('There is no API key.');
  return model;
}

type Configurable = ChatModel & { readonly _getModelInstance?: () => Promise<ChatModel> };

/** Whether a model has a key. OpenAI's client notices a missing key only at the first request. */
function hasKey(model: object): boolean {
  const { apiKey, clientConfig } = model as { apiKey?: unknown; clientConfig?: unknown };
  const others = Object.keys(Object(clientConfig) as object);
  const isOther = others.includes('workloadIdentity') || others.includes('adminAPIKey');
  return Boolean(apiKey) || isOther || Boolean(process.env['OPENAI_ADMIN_KEY']);
}

/** The fields for the address of a server: each provider's package has another name for it. */
function serverFields(name: string, baseUrl: string | undefined): Record<string, unknown> {
  const raw = isOpenAi(name) ? { __includeRawResponse: true } : {};
  if (baseUrl === undefined) return raw;
  if (!isOpenAi(name))
    return { baseUrl, baseURL: baseUrl, serverURL: baseUrl, anthropicApiUrl: baseUrl };
  return {
    ...raw,
    // A self-hosted server rarely needs a key, but the client requires one.
    ...(process.env['OPENAI_API_KEY'] ? {} : { apiKey: 'no-key' }),
  };
}

function isOpenAi(name: string): boolean {
  return name.startsWith('openai:') || /^(?:gpt-|o\d)/.test(name);
}

/** A message as LangChain takes it, without loading its message classes. */
type Turn = readonly [role: Message['role'], content: string | readonly (TextBlock | FileBlock)[]];

/** Statuses of providers for a request with a file that they cannot read. */
const refusalsOfContent: ReadonlySet<number> = new Set([400, 413, 415, 422]);

interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  readonly cache_control?: { readonly type: 'ephemeral' };
}

/**
 * Makes alternating messages: consecutive messages of one role are joined, because some models reject others. For a provider that
 * caches only up to marks (Anthropic), each message is a block, and settled messages are marked. It looks for the longest cached
 * prefix of whole blocks.
 */
function inTurn(
  messages: readonly Message[],
  model: ChatModel,
  files: FileBlocks,
): readonly Turn[] {
  const turns: { role: Message['role']; parts: Message[] }[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (last?.role === message.role) last.parts.push(message);
    else turns.push({ role: message.role, parts: [message] });
  }
  const wantsMarks = kindOf(model) === 'anthropic';
  return turns.map(({ role, parts }): Turn => [
    role,
    wantsMarks || parts.some((part) => files.has(part))
      ? parts.flatMap((part) => [blockOf(part), ...(files.get(part) ?? [])])
      : parts.map(({ content }) => content).join('\n\n'),
  ]);
}

function blockOf({ content, isSettled }: Message): TextBlock {
  return {
    type: 'text',
    text: content,
    ...(isSettled && { cache_control: { type: 'ephemeral' } as const }),
  };
}

/**
 * Options that tell a provider which requests have the same beginning (OpenAI: `prompt_cache_key`). A self-hosted server does not
 * get them, because it may refuse an unknown field.
 *
 * @param conversation its id; the provider gets only a hash of it
 */
function cacheOptions(
  model: ChatModel,
  conversation: string | undefined,
): { readonly promptCacheKey?: string } {
  const { promptCacheKey } = model as { readonly promptCacheKey?: unknown };
  // Keep a key that the user set.
  if (conversation === undefined || promptCacheKey !== undefined) return {};
  if (kindOf(model) !== 'openai' || !isAtOpenAi(model)) return {};
  return { promptCacheKey: hash('sha256', `dramaturg\u0000${conversation}`).slice(0, 32) };
}

function kindOf(model: ChatModel): string | undefined {
  const { _llmType: kind } = model;
  return kind?.call(model);
}

function isAtOpenAi(model: ChatModel): boolean {
  const { clientConfig } = model as { readonly clientConfig?: { readonly baseURL?: unknown } };
  const url = clientConfig?.baseURL;
  if (url === undefined || url === null) return true;
  const { host } = URL.parse(typeof url === 'string' ? url : '') ?? { host: '' };
  return /(?:^|\.)api\.openai\.com$/.test(host);
}

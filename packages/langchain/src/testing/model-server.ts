import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '@dramaturg/compiler';

export interface ModelServerOptions {
  /** The only key that is accepted; any when left out. */
  readonly key?: string;
  /** The only models that there are; any when left out. */
  readonly models?: readonly string[];
  /** The fields that the server refuses with status 400, as self-hosted servers often do. */
  readonly without?: readonly ('response_format' | 'tools')[];
  /** Counts the tokens of requests, and those that a provider would have in its cache. Without it, each request has ten tokens. */
  readonly countsTokens?: boolean;
  /** The port to listen on; any free one when left out. */
  readonly port?: number;
  /** Returns the embedding of a text. Without it there is no embedding model. */
  readonly embed?: (text: string) => readonly number[];
}

/** A server that speaks OpenAI's chat completions, so that a real client is exercised over real HTTP. */
export interface ModelServer extends AsyncDisposable {
  /** Ends in /v1. */
  readonly baseUrl: string;
  /** All requests, the latest last. */
  readonly requests: readonly ChatRequest[];
  /** The number of requests whose client disconnected before the answer. */
  readonly left: () => number;
}

/**
 * Starts a server on this machine.
 *
 * @param answer returns the answer of the model; `count` is 1 for the first request
 */
export async function modelServer(
  answer: (request: ChatRequest, count: number) => ModelAnswer | Promise<ModelAnswer>,
  options: ModelServerOptions = {},
): Promise<ModelServer> {
  const requests: ChatRequest[] = [];
  const cache = options.countsTokens === true ? new PromptCache() : undefined;
  let left = 0;
  const server = createServer((incoming, response) => {
    response.on('close', () => {
      if (!response.writableFinished && !response.errored) left += 1;
    });
    respond(incoming, response).catch((error: unknown) => {
      // A mistake in the test gets a status that no client retries.
      fail(response, {
        status: 400,
        error: { message: `The test's answer failed: ${String(error)}` },
      });
    });
  });

  const respond = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = await read(incoming);
    if (incoming.url === '/v1/embeddings' && options.embed !== undefined)
      return send(response, 200, embeddings(body as unknown as EmbeddingsRequest, options.embed));
    const request = body as unknown as ChatRequest;
    const refusal = refusalOf(incoming, request, options);
    if (refusal !== undefined) return fail(response, refusal);
    requests.push(request);
    const counted = cache && usageFor(cache.count(request));
    const written = await answer(request, requests.length);
    const given = { ...written, usage: { ...counted, ...written.usage } };
    if (given.delay !== undefined) await sleep(given.delay);
    if (given.cut === 'before') return response.destroy(new Error('cut on purpose'));
    if (given.status !== undefined) return fail(response, given);
    if (given.body !== undefined) return response.end(given.body);
    if (!request.stream) return send(response, 200, completion(request, given));
    return stream(response, request, given);
  };

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    left: () => left,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

async function read(incoming: IncomingMessage): Promise<JsonObject> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString('utf8');
  return (text === '' ? {} : JSON.parse(text)) as JsonObject;
}

/** The errors of a real server for requests that it refuses. */
function refusalOf(
  { url, headers }: IncomingMessage,
  request: ChatRequest,
  { key, models, without = [] }: ModelServerOptions,
): ModelAnswer | undefined {
  const error = (status: number, message: string, code: string): ModelAnswer => ({
    status,
    error: { message, code, type: 'invalid_request_error' },
  });
  if (url !== '/v1/chat/completions')
    return error(404, `Unknown request URL: ${url}`, 'unknown_url');
  if (key !== undefined && headers.authorization !== `Bearer ${key}`)
    return error(401, 'Incorrect API key provided.', 'invalid_api_key');
  if (models?.includes(request.model) === false)
    return error(404, `The model ${request.model} does not exist.`, 'model_not_found');
  const field = without.find((name) => request[name] !== undefined);
  return field && error(400, `${field} is not supported by this server.`, 'unsupported_parameter');
}

async function stream(response: ServerResponse, request: ChatRequest, answer: ModelAnswer) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const parts = chunks(request, answer);
  for (const [index, part] of parts.entries()) {
    if (response.destroyed) return;
    if (answer.cut === 'midway' && index >= parts.length / 2) {
      response.destroy(new Error('cut on purpose'));
      return;
    }
    await sent(response, `data: ${JSON.stringify(part)}\n\n`);
    if (answer.pace !== undefined) await sleep(answer.pace);
  }
  response.end('data: [DONE]\n\n');
}

/** Resolves when the part is written: a later cut cannot replace it. */
function sent(response: ServerResponse, text: string): Promise<void> {
  return new Promise((resolve) => {
    response.write(text, () => resolve());
  });
}

function fail(response: ServerResponse, { status = 500, error, headers }: ModelAnswer) {
  const { message = 'The server failed.', ...more } = error ?? {};
  send(response, status, { error: { message, ...more } }, headers);
}

function send(
  response: ServerResponse,
  status: number,
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
) {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** The approximate number of characters in a token of English. */
const charactersOfToken = 4;

/** Maximum number of requests that are compared with a new one. */
const requestsMax = 500;

/**
 * The tokens of a request, and those in the prefix that it shares with an earlier one. Both are estimated as a quarter of the
 * characters.
 */
export interface PromptTokens {
  readonly input: number;
  /** The tokens of the longest prefix shared with an earlier request. */
  readonly cached: number;
}

/**
 * Counts the tokens that a provider would read from its cache. Tools and the schema of the answer come before the messages, as at
 * providers. Unlike theirs, this cache does not expire, and a prefix of any length counts.
 */
export class PromptCache {
  readonly #prompts: string[] = [];

  /** Counts a request, and remembers it. */
  count(request: ChatRequest): PromptTokens {
    const prompt = promptOf(request);
    const shared = Math.max(0, ...this.#prompts.map((earlier) => sharedLength(earlier, prompt)));
    this.#prompts.push(prompt);
    if (this.#prompts.length > requestsMax) this.#prompts.shift();
    return { input: tokensIn(prompt.length), cached: tokensIn(shared) };
  }
}

/** The usage of an answer, in the spelling of OpenAI. */
export function usageFor({ input, cached }: PromptTokens): JsonObject {
  return { prompt_tokens: input, prompt_tokens_details: { cached_tokens: cached } };
}

function promptOf({ tools = [], response_format: form, messages }: ChatRequest): string {
  const said = messages.map(({ role, content }) => `${role}: ${content}`).join('\n');
  return `${JSON.stringify(tools)}\n${JSON.stringify(form ?? null)}\n${said}`;
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

function tokensIn(characters: number): number {
  return Math.floor(characters / charactersOfToken);
}

/** The fields of a client's request on which answers depend. Spec: OpenAI's chat completions. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly stream?: boolean;
  readonly tools?: readonly {
    readonly function: {
      readonly name: string;
      readonly description?: string;
      readonly parameters: JsonObject;
    };
  }[];
  readonly tool_choice?: unknown;
  readonly max_tokens?: number;
  readonly response_format?: {
    readonly type: string;
    readonly json_schema?: { readonly name: string; readonly schema: JsonObject };
  };
}

interface EmbeddingsRequest {
  readonly model: string;
  readonly input: string | readonly string[];
}

/** The answer of the model to a request, or the way in which the server fails. */
export interface ModelAnswer {
  readonly text?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly refusal?: string;
  readonly finish?: 'stop' | 'length' | 'content_filter' | 'tool_calls';
  /** Milliseconds before the first byte. */
  readonly delay?: number;
  /** Milliseconds between the parts of a stream. */
  readonly pace?: number;
  /** Cuts the connection: before anything is sent, or in the middle of the text. */
  readonly cut?: 'before' | 'midway';
  /** An error instead of an answer. */
  readonly status?: number;
  readonly error?: { readonly message: string; readonly code?: string; readonly type?: string };
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields of the usage that replace the counted ones. */
  readonly usage?: JsonObject;
  /** A raw body that is sent instead of one of the protocol. */
  readonly body?: string;
}

let completions = 0;

/** A new id: clients treat two answers with one id as the same. */
function nextId(): string {
  completions += 1;
  return `chatcmpl-${completions}`;
}

/** The answer as a whole. */
function completion({ model }: ChatRequest, answer: ModelAnswer): JsonObject {
  return {
    id: nextId(),
    object: 'chat.completion',
    created: 0,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.text ?? null,
          refusal: answer.refusal ?? null,
          ...(answer.toolCalls ? { tool_calls: callsOf(answer) } : {}),
        },
        finish_reason: finishOf(answer),
      },
    ],
    usage: usage(answer),
  };
}

/** The answer in parts, as they are sent one by one. */
function chunks({ model }: ChatRequest, answer: ModelAnswer): JsonObject[] {
  const id = nextId();
  const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
    id,
    object: 'chat.completion.chunk',
    created: 0,
    model,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const calls = callsOf(answer).flatMap((call, index) => {
    const { name, arguments: text } = call.function;
    const half = Math.floor(text.length / 2);
    return [
      chunk({
        tool_calls: [{ ...call, index, function: { name, arguments: text.slice(0, half) } }],
      }),
      chunk({ tool_calls: [{ index, function: { arguments: text.slice(half) } }] }),
    ];
  });
  return [
    chunk({ role: 'assistant', content: '' }),
    ...partsOf(answer.text ?? '').map((content) => chunk({ content })),
    ...partsOf(answer.refusal ?? '').map((refusal) => chunk({ refusal })),
    ...calls,
    chunk({}, finishOf(answer)),
    { ...chunk({}), choices: [], usage: usage(answer) },
  ];
}

function embeddings(
  { model, input }: EmbeddingsRequest,
  embed: (text: string) => readonly number[],
): JsonObject {
  const texts = typeof input === 'string' ? [input] : input;
  return {
    object: 'list',
    model,
    data: texts.map((text, index) => ({ object: 'embedding', index, embedding: [...embed(text)] })),
    usage: { prompt_tokens: 0, total_tokens: 0 },
  };
}

function callsOf({ toolCalls = [] }: ModelAnswer) {
  return toolCalls.map(({ name, arguments: given }, index) => ({
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) },
  }));
}

function finishOf({ finish, toolCalls = [] }: ModelAnswer): string {
  return finish ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop');
}

/** Words, each with the space before it. */
function partsOf(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}

function usage({ text = '', usage: given = {} }: ModelAnswer) {
  const words = partsOf(text).length;
  const counted = { prompt_tokens: 10, completion_tokens: words, ...given };
  const total = counted.prompt_tokens + counted.completion_tokens;
  return { ...counted, total_tokens: total, ...given };
}

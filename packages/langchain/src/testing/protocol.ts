import type { JsonObject } from '@dramaturg/compiler';

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

export interface EmbeddingsRequest {
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
export function completion({ model }: ChatRequest, answer: ModelAnswer): JsonObject {
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
export function chunks({ model }: ChatRequest, answer: ModelAnswer): JsonObject[] {
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

export function embeddings(
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

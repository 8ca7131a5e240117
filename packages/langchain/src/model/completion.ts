import { isRecord } from '@dramaturg/compiler';
import { cutOffBy, withoutThoughts } from '@dramaturg/compiler/machine';

/** The answer of a model, independent of the provider. */
export interface Completion {
  /** Without the model's thoughts. */
  readonly text: string;
  /** Calls of tools, as the model wrote them: the arguments may be anything. */
  readonly toolCalls: readonly { readonly name: string; readonly arguments: unknown }[];
  /** Why the model refuses to answer, if it does. */
  readonly refusal: string | undefined;
  /** Why the answer ended before it was complete, if it did. */
  readonly cutOff: 'length' | 'filter' | undefined;
  /** The name of the model in the response. */
  readonly model: string | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Included in the numbers above. */
  readonly cachedInputTokens: number;
  readonly reasoningTokens: number;
}

/** Reads a message of LangChain. The message is untrusted: a field of an unexpected type counts as absent. */
export function readCompletion(message: unknown): Completion {
  const fields = isRecord(message) ? message : {};
  const more = recordIn(fields['additional_kwargs']);
  const metadata = recordIn(fields['response_metadata']);
  const use = recordIn(fields['usage_metadata']);
  const ended = reasonIn(metadata);
  const text = withoutThoughts(textIn(fields['content']));
  const cutOff = cutOffBy(ended);
  return {
    text,
    toolCalls: [
      ...listIn(fields['tool_calls']).map(({ name, args }) => ({
        name: String(name),
        arguments: args,
      })),
      ...listIn(fields['invalid_tool_calls']).map(({ name, args }) => ({
        name: String(name),
        arguments: args,
      })),
    ],
    refusal:
      firstText(more['refusal'], refusalIn(more['__raw_response'])) ??
      (ended === 'refusal' || (cutOff === 'filter' && text === '')
        ? 'the answer was withheld by a content filter'
        : undefined),
    cutOff,
    model: firstText(metadata['model_name'], metadata['model']),
    inputTokens: numberIn(use['input_tokens']),
    outputTokens: numberIn(use['output_tokens']),
    cachedInputTokens: numberIn(recordIn(use['input_token_details'])['cache_read']),
    reasoningTokens: numberIn(recordIn(use['output_token_details'])['reasoning']),
  };
}

/** The reason why the model stopped, which each provider reports in another field; undefined in a part of a stream before the last. */
function reasonIn(metadata: Readonly<Record<string, unknown>>): unknown {
  const { finish_reason, stop_reason, finishReason, stopReason, done_reason } = metadata;
  const { reason } = recordIn(metadata['incomplete_details']);
  return (
    finish_reason ??
    stop_reason ??
    finishReason ??
    stopReason ??
    done_reason ??
    recordIn(metadata['messageStop'])['stopReason'] ??
    reason ??
    undefined
  );
}

/** LangChain drops OpenAI's `refusal`; it is only in the raw response. */
function refusalIn(response: unknown): string | undefined {
  const [choice] = listIn(recordIn(response)['choices']);
  return firstText(
    recordIn(choice?.['message'])['refusal'],
    recordIn(choice?.['delta'])['refusal'],
  );
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  return listIn(content)
    .map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : ''))
    .join('');
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}

function recordIn(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function listIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter((item) => isRecord(item)) : [];
}

function numberIn(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/** A part of an answer, as LangChain streams it. */
interface Chunk {
  readonly content: unknown;
  readonly additional_kwargs?: Record<string, unknown>;
  readonly tool_call_chunks?: readonly unknown[];
  readonly tool_calls?: readonly unknown[];
  readonly invalid_tool_calls?: readonly unknown[];
  readonly usage_metadata?: object | undefined;
  readonly response_metadata?: Readonly<Record<string, unknown>>;
  concat(other: Chunk): Chunk;
}

/**
 * Joins the parts of an answer. LangChain copies the whole answer for each part. Most parts are only a word of text, and here
 * those are only appended.
 */
export class CompletionParts {
  #text = '';
  #refusal = '';
  #length = 0;
  #rest: Chunk | undefined;

  /** The length of all text so far, including tool calls. */
  get length(): number {
    return this.#length;
  }

  /** Whether there was not even an empty answer. */
  get isNothing(): boolean {
    return this.#rest === undefined && this.#text === '';
  }

  /** Adds a part. @returns its text */
  hear(part: object): string {
    const chunk = part as Chunk;
    const { content, additional_kwargs: more } = chunk;
    if (more?.['__raw_response'] !== undefined) {
      this.#refusal += refusalIn(more['__raw_response']) ?? '';
      delete more['__raw_response'];
    }
    const text = textIn(content);
    this.#text += text;
    this.#length += text.length + argumentsLength(chunk);
    if (!isText(chunk)) this.#rest = this.#rest === undefined ? chunk : this.#rest.concat(chunk);
    return text;
  }

  /** The answer as a whole. */
  get message(): object {
    const rest: Partial<Chunk> = this.#rest ?? {};
    const { tool_calls, invalid_tool_calls, usage_metadata } = rest;
    const { additional_kwargs, response_metadata } = rest;
    const more = { additional_kwargs, response_metadata, usage_metadata };
    return { content: this.#text, tool_calls, invalid_tool_calls, ...more };
  }

  get refusal(): string | undefined {
    return this.#refusal === '' ? undefined : this.#refusal;
  }
}

function argumentsLength({ tool_call_chunks: calls = [] }: Chunk): number {
  return calls.reduce(
    (sum: number, call) => sum + String((call as { args?: string }).args).length,
    0,
  );
}

/** Whether a part has only text: no tool calls, no usage and no finish reason. */
function isText({ content, ...chunk }: Chunk): boolean {
  return (
    typeof content === 'string' &&
    content !== '' &&
    (chunk.tool_call_chunks ?? []).length === 0 &&
    chunk.usage_metadata === undefined &&
    Object.keys(chunk.additional_kwargs ?? {}).length === 0 &&
    reasonIn(chunk.response_metadata ?? {}) === undefined
  );
}

import { reasonIn, refusalIn, textIn } from './completion.ts';

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

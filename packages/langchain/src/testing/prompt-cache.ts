import type { JsonObject } from '@dramaturg/compiler';
import type { ChatRequest } from './protocol.ts';

/** About as many characters of English are a token. */
const charactersOfToken = 4;

/** How many requests are compared with a new one. */
const requestsMax = 500;

/** How much of a request was the beginning of an earlier one. Both are numbers of tokens, estimated as a quarter of the characters. */
export interface PromptTokens {
  readonly input: number;
  /** The longest beginning that an earlier request had as well. */
  readonly cached: number;
}

/**
 * Counts what a provider would read from its cache. Tools and the schema of the answer come before the messages, as providers
 * order them. Unlike theirs, this cache forgets nothing for lack of time, and a beginning of any length counts.
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

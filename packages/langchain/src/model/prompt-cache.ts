import { hash } from 'node:crypto';
import type { ChatModel } from './chat-model.ts';
import type { Message } from './message.ts';

/** A message as LangChain takes it, without loading its message classes. */
export type Turn = readonly [role: Message['role'], content: string | readonly TextBlock[]];

interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  readonly cache_control?: { readonly type: 'ephemeral' };
}

/**
 * Messages in turn. Consecutive messages of one role are joined, because some models reject a conversation in which roles do not
 * alternate. For a provider that caches only up to marked places (Anthropic), each message is a block, and the settled ones are
 * marked: it looks for the longest beginning of whole blocks.
 */
export function inTurn(messages: readonly Message[], model: ChatModel): readonly Turn[] {
  const turns: { role: Message['role']; parts: Message[] }[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (last?.role === message.role) last.parts.push(message);
    else turns.push({ role: message.role, parts: [message] });
  }
  const wantsMarks = kindOf(model) === 'anthropic';
  return turns.map(({ role, parts }): Turn => [
    role,
    wantsMarks ? parts.map(blockOf) : parts.map(({ content }) => content).join('\n\n'),
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
 * Options of a call that tell a provider which requests begin alike (OpenAI: `prompt_cache_key`). A server of one's own may refuse a
 * field that it does not know, and has no use for it.
 *
 * @param conversation its id, of which the provider only gets a hash
 */
export function cacheOptions(
  model: ChatModel,
  conversation: string | undefined,
): { readonly promptCacheKey?: string } {
  const { promptCacheKey } = model as { readonly promptCacheKey?: unknown };
  // The user's own key stands.
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

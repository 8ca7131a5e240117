import type { PortInput } from '@dramaturg/compiler';
import type { ConversationContext } from './context.ts';

/**
 * The idempotency key of a call: the conversation, the turn, and what the call is for. After a crash the same call has the
 * same key; a later turn has other keys. The message that a reply sends has the key of its call.
 */
export function callKey(
  { conversation, turn }: Pick<ConversationContext, 'conversation' | 'turn'>,
  ...purpose: readonly (string | number)[]
): string {
  return [conversation, turn, ...purpose].join('/');
}

/** What every call to a model is given: its key, the conversation's log, and the message being answered. */
export function callInput(
  { conversation, messages, message, early }: ConversationContext,
  key: string,
): Pick<PortInput<'reply'>, 'key' | 'transcript' | 'message' | 'early'> {
  return {
    key,
    transcript: { conversation, length: messages },
    ...(message === null ? {} : { message, ...(early && { early }) }),
  };
}

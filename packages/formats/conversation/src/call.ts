import type { PortInput } from '@dramaturg/compiler';
import type { ConversationContext } from './context.ts';

/**
 * The idempotency key of a call: the conversation, the turn, and the purpose of the call. After a crash the same call has the
 * same key; a later turn has other keys. The message that a reply sends has the key of its call.
 */
export function callKey(
  { conversation, turn }: Pick<ConversationContext, 'conversation' | 'turn'>,
  ...purpose: readonly (string | number)[]
): string {
  return [conversation, turn, ...purpose].join('/');
}

/** The shared input of a reply. The reply also answers the messages whose reply was superseded. */
export function replyInput(
  context: ConversationContext,
  key: string,
): ReturnType<typeof callInput> {
  const { superseded, message } = context;
  const all = superseded === undefined ? message : joined(superseded, message);
  return callInput({ ...context, message: all }, key);
}

/** Messages as one. */
export function joined(...messages: readonly (string | null | undefined)[]): string {
  return messages.filter((each) => typeof each === 'string').join('\n');
}

/** The shared input of every call to a model: its key, the conversation's log, and the message being answered. */
export function callInput(
  { conversation, messages, message, early, folded }: ConversationContext,
  key: string,
): Pick<PortInput<'reply'>, 'key' | 'transcript' | 'message' | 'early'> {
  return {
    key,
    transcript: { conversation, length: messages, ...(folded !== undefined && { from: folded }) },
    ...(message === null ? {} : { message, ...(early && { early }) }),
  };
}

import type { EventObject } from '@dramaturg/compiler';
import type { Action, Effects, Guard, Scope } from '@dramaturg/compiler/format';
import { longestInbox, longestMessage } from '@dramaturg/compiler/machine';
import type { ConversationContext, HandledEvent } from './context.ts';
import { isOnlyHeard, type QuestionOf } from './early.ts';
import { errorCode, errorMessage, turnFailed } from './turn.ts';

/**
 * Messages of the person. One that arrives while the agent answers waits in `context.inbox`; the machine takes it once it
 * waits again. A message that cannot be taken is refused with `message.refused`.
 */

/** @returns why a message is refused, in a sentence for its sender; undefined when it can be taken */
export type MessageCheck<Context> = (context: Context, text: unknown) => string | undefined;

export const messageProblem: MessageCheck<ConversationContext> = (context, text) => {
  if (typeof text !== 'string') return 'A message needs a "text" that is a string.';
  if (text.length > longestMessage)
    return `A message may be ${longestMessage} characters long; this one has ${text.length}.`;
  if (context.inbox.length >= longestInbox) return `${longestInbox} messages are waiting already.`;
  return undefined;
};

/** How a format takes messages. */
export interface Hearing<Context extends ConversationContext> {
  /** Begins a turn with a message. */
  readonly listen: (scope: Scope<Context, HandledEvent>, event: HandledEvent) => Effects<Context>;
  /** Finds the open question; without it, each message is an answer. */
  readonly questionOf?: QuestionOf<Scope<Context, HandledEvent>>;
  /** The format records facts that messages mention. */
  readonly takesFacts?: boolean;
  readonly problemOf?: MessageCheck<Context>;
}

/** The guards and actions that the chart of a turn names. */
export function inbox<Context extends ConversationContext>({
  listen,
  questionOf = () => undefined,
  takesFacts = false,
  problemOf = messageProblem,
}: Hearing<Context>) {
  const onlyHears = (scope: Scope<Context, HandledEvent>, event: HandledEvent) =>
    isOnlyHeard(scope.context, event, questionOf(scope), takesFacts);
  const isMessage = ({ context, event }: Scope<Context, HandledEvent>) =>
    problemOf(context, event['text']) === undefined;
  const changed = (fields: Partial<ConversationContext>): Effects<Context> => ({
    context: fields as Partial<Context>,
  });
  const guards = {
    isMessage,
    /** Whether the person repeats the message of the failed turn. */
    isSentAgain: ({ context, event }) =>
      context.message !== null && event['text'] === context.message,
    hasAsked: ({ context }) => context.asked !== undefined,
    hasInbox: ({ context }) => context.inbox.length > 0,
    isOnlyToHear: (scope) => isMessage(scope) && onlyHears(scope, scope.event),
    isInboxOnlyToHear: (scope) =>
      scope.context.inbox.length > 0 && onlyHears(scope, nextInInbox(scope.context).event),
  } satisfies Readonly<Record<string, Guard<Context, HandledEvent>>>;
  const actions = {
    takeMessage: (scope) => listen(scope, scope.event),
    takeFromInbox: (scope) => {
      const { event, inbox: rest } = nextInInbox(scope.context);
      const { context, ...effects } = listen(scope, event);
      return { ...effects, context: { ...context, inbox: rest } as Partial<Context> };
    },
    putInInbox: ({ context, event }) =>
      changed({ inbox: [...context.inbox, event['text'] as string] }),
    refuseMessage: ({ context, event }) => ({
      emit: [{ type: 'message.refused', because: problemOf(context, event['text']) ?? '' }],
    }),
    hearOnly: ({ context: { messages } }) => changed({ messages: messages + 1 }),
    hearInbox: ({ context }) =>
      changed({ messages: context.messages + 1, inbox: nextInInbox(context).inbox }),
    resumeTurn: ({ context }) => changed({ turn: context.turn + 1 }),
    /** Reports that a call failed. The context is unchanged, so that the call can be repeated with the same input. */
    failTurn: ({ context, event }, { port }: { port: string }) => ({
      emit: [turnFailed(context, { port, code: errorCode(event), message: errorMessage(event) })],
    }),
  } satisfies Readonly<Record<string, Action<Context, HandledEvent>>>;
  return { guards, actions };
}

/**
 * Joins the messages of the inbox, so that the agent answers once, and returns those that do not fit. They came before the
 * agent's last reply.
 */
function nextInInbox({ inbox: waiting }: ConversationContext): {
  readonly event: HandledEvent;
  readonly inbox: readonly string[];
} {
  let length = -1;
  const taken = waiting.filter((text) => (length += 1 + text.length) <= longestMessage);
  const event = { type: 'message.received', text: taken.join('\n'), early: 'older' };
  return { event, inbox: waiting.slice(taken.length) };
}

/** `message.refused` for each message that still waits. */
export function refuseWaiting(
  { inbox: waiting }: Pick<ConversationContext, 'inbox'>,
  because = 'The conversation is over.',
): EventObject[] {
  return waiting.map(() => ({ type: 'message.refused', because }));
}

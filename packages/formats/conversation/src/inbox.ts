import type { EventObject } from '@dramaturg/compiler';
import type { ChartTransition } from '@dramaturg/compiler/chart';
import type { Action, Guard, Scope } from '@dramaturg/compiler/format';
import { longestInbox, longestMessage } from '@dramaturg/compiler/machine';
import { action, guard } from './behaviour.ts';
import type { ConversationContext, HandledEvent } from './context.ts';
import { isOnlyHeard, type QuestionOf } from './early.ts';

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

/**
 * The guards and actions that the transitions below name.
 *
 * @param questionOf finds the open question; without it, each message is an answer
 * @param takesFacts the format records facts that messages mention
 */
export function inbox<Context extends ConversationContext>(
  questionOf: QuestionOf<Scope<Context, HandledEvent>> = () => undefined,
  takesFacts = false,
  problemOf: MessageCheck<Context> = messageProblem,
) {
  const onlyHears = (scope: Scope<Context, HandledEvent>, event: HandledEvent) =>
    isOnlyHeard(scope.context, event, questionOf(scope), takesFacts);
  const isMessage: Guard<Context, HandledEvent> = ({ context, event }) =>
    problemOf(context, event['text']) === undefined;
  /** Whether the person repeats the message of the failed turn. */
  const isSentAgain: Guard<Context, HandledEvent> = ({ context, event }) =>
    context.message !== null && event['text'] === context.message;
  const hasInbox: Guard<Context, HandledEvent> = ({ context }) => context.inbox.length > 0;
  const isOnlyToHear: Guard<Context, HandledEvent> = (scope) =>
    problemOf(scope.context, scope.event['text']) === undefined && onlyHears(scope, scope.event);
  const isInboxOnlyToHear: Guard<Context, HandledEvent> = (scope) =>
    scope.context.inbox.length > 0 && onlyHears(scope, nextInInbox(scope.context).event);

  const putInInbox: Action<ConversationContext, HandledEvent> = ({ context, event }) => ({
    context: { inbox: [...context.inbox, event['text'] as string] },
  });
  const refuseMessage: Action<Context, HandledEvent> = ({ context, event }) => ({
    emit: [{ type: 'message.refused', because: problemOf(context, event['text']) ?? '' }],
  });
  const hearOnly: Action<ConversationContext, HandledEvent> = ({ context: { messages } }) => ({
    context: { messages: messages + 1 },
  });
  const hearInbox: Action<ConversationContext, HandledEvent> = ({ context }) => ({
    context: { messages: context.messages + 1, inbox: nextInInbox(context).inbox },
  });
  return {
    guards: { isMessage, isSentAgain, hasInbox, isOnlyToHear, isInboxOnlyToHear },
    actions: { putInInbox, refuseMessage, hearOnly, hearInbox },
  };
}

/**
 * Joins the messages of the inbox, so that the agent answers once, and returns those that do not fit. They came before the
 * agent's last reply.
 */
export function nextInInbox({ inbox: waiting }: ConversationContext): {
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

export const refuseMessage: ChartTransition = { actions: [action('refuseMessage')] };

/** During a turn: the message waits. */
export const messageInTurn: readonly ChartTransition[] = [
  { guard: guard('isMessage'), actions: [action('putInInbox')] },
  refuseMessage,
];

/** While the machine waits: the message begins a turn. */
export function takeMessage(target: string): ChartTransition[] {
  return [
    { guard: guard('isOnlyToHear'), actions: [action('hearOnly')] },
    { target, guard: guard('isMessage'), actions: [action('takeMessage')] },
    refuseMessage,
  ];
}

/** The machine waits again: a message of the inbox begins the next turn immediately. */
export function takeFromInbox(target: string): ChartTransition[] {
  return [
    { guard: guard('isInboxOnlyToHear'), actions: [action('hearInbox')] },
    { target, guard: guard('hasInbox'), actions: [action('takeFromInbox')] },
  ];
}

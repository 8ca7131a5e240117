import type { EventObject } from '@dramaturg/compiler';
import type { FallbackSentence, LifecycleContext } from '../context.ts';
import { longestId, longestKey, longestReason, longestText } from '../limits.ts';
import type { AnyEvent } from './scope.ts';

/** Messages as events name them. */

/** Why an event is refused: a code for programs and a sentence for the sender. */
export interface Refusal {
  readonly code: string;
  readonly because: string;
}

/** Why a message is refused; undefined when it can be taken. */
export function messageProblem(
  { id, text }: AnyEvent,
  longest: number = longestId,
): Refusal | undefined {
  if (id !== undefined && (typeof id !== 'string' || id === '' || id.length > longest))
    return refused('bad-id', `The "id" of a message is a text of 1 to ${longest} characters.`);
  if (text === undefined)
    return id === undefined
      ? refused('not-text', 'A message needs an "id", a "text", or both.')
      : undefined;
  if (typeof text !== 'string')
    return refused('not-text', 'The "text" of a message must be a text.');
  if (text.trim() === '') return refused('blank', 'The message is blank.');
  if (text.length > longestText)
    return refused(
      'too-long',
      `A message may be ${longestText} characters long; this one has ${text.length}.`,
    );
  return undefined;
}

function refused(code: string, because: string): Refusal {
  return { code: `message/${code}`, because };
}

/** Why a message of the agent is refused. Its id contains the id of the instance. */
export function replyProblem(event: AnyEvent): Refusal | undefined {
  return messageProblem(event, longestKey);
}

/** Why a message that would wait for a turn is refused. */
export function receivedProblem(context: LifecycleContext, event: AnyEvent): Refusal | undefined {
  const problem = messageProblem(event);
  if (problem !== undefined) return problem;
  const { id } = event;
  return typeof id === 'string' && context.seen.includes(id)
    ? refused('repeated', `The message "${id}" was received before.`)
    : undefined;
}

/** The text of a message for an event. It is not kept, because messages are in the conversation's log. */
export function textField({ text }: AnyEvent): { readonly text?: string } {
  return typeof text === 'string' && text.length <= longestText ? { text } : {};
}

export function idOf({ id }: AnyEvent, otherwise: string): string {
  return typeof id === 'string' && id !== '' && id.length <= longestKey ? id : otherwise;
}

/** Shortens a string from outside for a refusal. */
export function shown(text: string): string {
  return text.length > longestId ? `${text.slice(0, longestId)}…` : text;
}

/** The reason of an event, as it is stored. */
export function reasonOf({ reason }: AnyEvent): string | null {
  return typeof reason === 'string' && reason.trim() !== '' ? reason.slice(0, longestReason) : null;
}

/** Tells the contact why there is no reply. The open question stays open. */
export function fallback(sentence: FallbackSentence): EventObject {
  return { type: 'message.send.requested', role: 'agent', aside: true, ...sentence };
}

import type { EventObject } from '@dramaturg/compiler';
import type { Role, TranscriptLine } from '@dramaturg/host';
import type { Author, ChatMessage } from '../protocol.ts';

/** Lines of the host itself are not for visitors. */
const authors: Readonly<Partial<Record<Role, Author>>> = {
  contact: 'visitor',
  agent: 'agent',
  manual: 'person',
};

/** What a visitor sees of a line. @returns undefined when it is not for visitors */
export function messageOfLine({ id, role, text, at }: TranscriptLine): ChatMessage | undefined {
  const from = authors[role];
  return from === undefined ? undefined : { id, from, text, at };
}

/** What a visitor sees of an event about a message. @returns undefined for other events */
export function messageOfEvent(
  source: string,
  event: EventObject,
  at: number,
): ChatMessage | undefined {
  const { type, key, id, text, role } = event;
  if (typeof text !== 'string') return undefined;
  if (type === 'message.sent' && source === 'flow' && typeof key === 'string')
    return messageOfLine({ id: key, role: 'agent', text, at });
  if (type === 'message.recorded' && source === 'lifecycle' && typeof id === 'string')
    return messageOfLine({ id, role: role === 'manual' ? 'manual' : 'contact', text, at });
  return undefined;
}

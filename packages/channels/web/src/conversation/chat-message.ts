import { isRecord, type JsonObject } from '@dramaturg/compiler';
import type { HostEvent, Role, TranscriptLine } from '@dramaturg/host';
import type { Author, ChatLink, ChatMessage } from '../protocol.ts';

/** Lines of the host itself are not for visitors. */
const authors: Readonly<Partial<Record<Role, Author>>> = {
  contact: 'visitor',
  agent: 'agent',
  manual: 'person',
};

/** What a visitor sees of a line. @returns undefined when it is not for visitors */
export function messageOfLine(
  conversation: string,
  { id, role, text, at, data, delivery }: TranscriptLine,
): ChatMessage | undefined {
  const from = authors[role];
  if (from === undefined) return undefined;
  const links = linksIn(data);
  return {
    id,
    conversation,
    from,
    text,
    at,
    ...(links.length > 0 && { links }),
    ...(delivery?.status === 'read' && { isRead: true }),
  };
}

/** What a visitor sees of an event about a message. @returns undefined for other events */
export function messageOfEvent({
  instance,
  source,
  event,
  at,
}: HostEvent): ChatMessage | undefined {
  const { type, key, id, text, role, data } = event;
  if (typeof text !== 'string') return undefined;
  if (type === 'message.sent' && source === 'flow' && typeof key === 'string')
    return messageOfLine(instance, { id: key, role: 'agent', text, at });
  if (type !== 'message.recorded' || source !== 'lifecycle' || typeof id !== 'string')
    return undefined;
  const author = role === 'manual' ? 'manual' : 'contact';
  const given = isRecord(data) ? { data: data as JsonObject } : {};
  return messageOfLine(instance, { id, role: author, text, at, ...given });
}

/** The attachments of a message. They come from outside: the page follows only addresses of the web. */
function linksIn(data: JsonObject | undefined): readonly ChatLink[] {
  const attachments = data?.['attachments'];
  if (!Array.isArray(attachments)) return [];
  return attachments.flatMap((each: unknown) => {
    if (!isRecord(each) || typeof each['url'] !== 'string') return [];
    return [{ url: each['url'], name: typeof each['name'] === 'string' ? each['name'] : '' }];
  });
}

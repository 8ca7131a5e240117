import type { SpokenLine } from '@dramaturg/compiler';
import type { Message } from '../model/model.ts';
import { disarmed, type Fence } from './fence.ts';

/** The lines before the current message. The last lines may be that message, as one line or several. */
export function linesBefore(
  lines: readonly SpokenLine[],
  message: string | undefined,
): readonly SpokenLine[] {
  if (message === undefined) return lines;
  const current = new Set<SpokenLine>();
  let text: string | undefined;
  for (const line of lines.toReversed()) {
    if (line.role !== 'contact') continue;
    text = text === undefined ? line.text : `${line.text}\n${text}`;
    current.add(line);
    if (text === message) return lines.filter((each) => !current.has(each));
    if (!message.endsWith(text)) return lines;
  }
  return lines;
}

/**
 * How many lines of a conversation a model gets. The oldest lines are left out in large steps and not one by one: what a model has
 * read before stays the beginning of what it reads next, and its provider caches that.
 *
 * @param length how many messages the conversation counts; it can have more lines, such as those by hand
 * @param most lines
 */
export function linesToShow(length: number, most: number): number {
  if (length <= most) return most;
  const step = Math.ceil(most / 2);
  return length - Math.ceil((length - most) / step) * step;
}

/** The conversation as messages, for a model that speaks in it. */
export function asMessages(lines: readonly SpokenLine[], fence: Fence): Message[] {
  return lines.map(({ role, text }) =>
    role === 'contact'
      ? { role: 'user', content: fence(text) }
      : // A person may have made the model repeat such tokens.
        { role: 'assistant', content: disarmed(text) },
  );
}

/** A line for a model that judges the conversation. Line breaks in a message are indented, so that it stays one line. */
export function asTextLine({ role, text }: SpokenLine): string {
  return `${role === 'contact' ? 'person' : 'agent'}: ${indented(disarmed(text))}`;
}

function indented(text: string): string {
  return text.replace(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/g, '\n    ');
}

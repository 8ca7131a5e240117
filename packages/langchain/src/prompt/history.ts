import type { SpokenLine } from '@dramaturg/compiler';
import type { Message } from '../model/model.ts';
import { disarmed, fenced } from './fence.ts';

/** The lines before the message that is being answered: what was said last may be that message, in one line or several. */
export function linesBefore(
  lines: readonly SpokenLine[],
  message: string | undefined,
): readonly SpokenLine[] {
  if (message === undefined) return lines;
  const answered = new Set<SpokenLine>();
  let text: string | undefined;
  for (const line of lines.toReversed()) {
    if (line.role !== 'contact') continue;
    text = text === undefined ? line.text : `${line.text}\n${text}`;
    answered.add(line);
    if (text === message) return lines.filter((each) => !answered.has(each));
    if (!message.endsWith(text)) return lines;
  }
  return lines;
}

/** The conversation as messages in turn: for whoever speaks next in it. */
export function asMessages(lines: readonly SpokenLine[], key: string): Message[] {
  return lines.map(({ role, text }) =>
    role === 'contact'
      ? { role: 'user', content: fenced(text, 'the person', key) }
      : // A model may have been talked into repeating a person's signs.
        { role: 'assistant', content: disarmed(text) },
  );
}

/** The conversation as one text: for whoever judges it from outside. A new line within what was said begins no line. */
export function asText(lines: readonly SpokenLine[], key: string): string {
  const text = lines
    .map(({ role, text: said }) => `${role === 'contact' ? 'person' : 'agent'}: ${indented(said)}`)
    .join('\n');
  return fenced(text, 'the conversation so far', key);
}

function indented(text: string): string {
  return text.replace(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/g, '\n    ');
}

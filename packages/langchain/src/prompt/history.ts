import {
  isRecord,
  type JsonObject,
  type PortInput,
  type PromptSection,
  type SpokenLine,
} from '@dramaturg/compiler';
import type { Message } from '../model/message.ts';
import { disarmed, type Fence } from './fence.ts';

/** The conversation in order, with the current message at its position, as one or several lines, or else at the end. */
export function linesInOrder(
  lines: readonly SpokenLine[],
  { message, early }: Pick<PortInput<'think'>, 'message' | 'early'>,
): readonly SpokenLine[] {
  if (message === undefined || lines.some(({ isNew }) => isNew !== undefined)) return lines;
  const current = new Set<SpokenLine>();
  let rest = message;
  for (const line of lines.toReversed()) {
    if (line.role !== 'contact') continue;
    const isWhole = line.text === rest;
    if (isWhole || rest.endsWith(`\n${line.text}`)) {
      current.add(line);
      rest = rest.slice(0, -line.text.length - 1);
      if (isWhole)
        return lines.map((each) => (current.has(each) ? { ...each, isNew: true } : each));
    }
    // The message leaves out lines that say nothing by themselves.
    else if (!early) break;
  }
  return [...lines, { role: 'contact', text: message, isNew: true }];
}

/** Says which lines of the person wait for an answer. */
export function newLines(lines: readonly SpokenLine[]): string {
  const count = lines.filter(({ isNew }) => isNew).length;
  if (count === 0) return 'There is no new message of the person.';
  const which =
    count === 1 ? 'The last line of the person is' : `The last ${count} lines of the person are`;
  const isLast = lines.at(-1)?.isNew === true;
  return `${which} new${isLast ? '.' : ', and older than your last message.'}`;
}

/**
 * The number of lines of a conversation that a model gets. The oldest lines are left out in large steps, so that most calls begin
 * like the call before, which the provider has cached.
 *
 * @param length the number of messages of the conversation; it can have more lines, such as those written by hand
 * @param most the maximum number of lines
 */
export function linesToShow(length: number, most: number): number {
  if (length <= most) return most;
  const step = Math.ceil(most / 2);
  return length - Math.ceil((length - most) / step) * step;
}

/** A line of the conversation, or a section at this position that only models see. */
export type Entry = SpokenLine | PromptSection;

/**
 * Inserts the sections that only models see between the lines, each at its message number. Lines fill the other positions, from
 * the last one backwards.
 *
 * @param length the number of messages of the conversation
 */
export function withUnspoken(
  lines: readonly SpokenLine[],
  prompt: readonly PromptSection[],
  length: number,
): readonly Entry[] {
  const unspoken = prompt.filter(({ at }) => at !== undefined).toSorted((a, b) => a.at! - b.at!);
  const rest = [...lines];
  const entries: Entry[] = [];
  for (
    let place = Math.max(length, unspoken.at(-1)?.at ?? 0);
    rest.length + unspoken.length > 0;
    place -= 1
  ) {
    const isHere = (unspoken.at(-1)?.at ?? -Infinity) >= place || rest.length === 0;
    const entry = isHere ? unspoken.pop() : place > length ? undefined : rest.pop();
    if (entry !== undefined) entries.push(entry);
  }
  return entries.toReversed();
}

/** The conversation as messages, for a model that speaks in it. */
export function asMessages(entries: readonly Entry[], fence: Fence): Message[] {
  return entries.map((entry) => {
    if ('title' in entry) return { role: 'user', content: fence(entry.text, entry.title) };
    if (entry.role === 'contact') {
      const images = filesIn(entry).filter(({ type }) => textIn(type)?.startsWith('image/'));
      const content = fence(withFiles(entry));
      return { role: 'user', content, ...(images.length > 0 && { images }) };
    }
    if (entry.role === 'manual') return { role: 'user', content: fence(entry.text, operator) };
    // A person may have made the model repeat tokens that have to be disarmed.
    return { role: 'assistant', content: disarmed(entry.text) };
  });
}

function filesIn({ data }: SpokenLine): readonly JsonObject[] {
  const files = data?.['attachments'];
  return Array.isArray(files) ? (files.filter((file) => isRecord(file)) as JsonObject[]) : [];
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The text of a line, with the names of its files, which a channel writes into an empty text only. */
function withFiles(line: SpokenLine): string {
  const names = filesIn(line)
    .map(({ name, type }) => (textIn(name) ?? textIn(type) ?? 'file').slice(0, 100))
    .filter((name) => !line.text.includes(name));
  return names.length === 0 ? line.text : `${line.text}\n[${names.join(', ')}]`;
}

/** The author of lines that a person has written instead of the agent. */
const operator = 'an operator, to the person';

const speakers = { contact: 'person', agent: 'agent', manual: 'operator' };

/** An entry for a model that judges the conversation. Line breaks in a text are indented, so that it stays one line. */
export function asTextLine(entry: Entry): string {
  const who = 'title' in entry ? disarmed(entry.title) : speakers[entry.role];
  const said = 'title' in entry ? entry.text : withFiles(entry);
  return `${indented(who)}: ${indented(disarmed(said))}`;
}

function indented(text: string): string {
  return text.replace(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/g, '\n    ');
}

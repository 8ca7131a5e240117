import { markdownPieces } from '../../../src/markdown.ts';
import type { Author } from '../../../src/protocol.ts';
import { say } from '../config.ts';
import type { ChatState } from '../state/chat-state.ts';
import { element, elementOf } from './element.ts';

/** Tells screen readers each finished message of others, once. */
export class Announcer {
  readonly element = element('div', { class: 'hidden', attributes: { 'aria-live': 'polite' } });

  render(state: ChatState, before: ChatState): void {
    if (before.connection === 'connecting' && before.messages.length === 0) return;
    const known = new Set(before.messages.map(({ id }) => id));
    const newest = state.messages.at(-1);
    for (const { id, from, text } of state.messages)
      if (!known.has(id) && from !== 'visitor' && newest && !isOlder(id, state, before))
        this.#say(from, text);
  }

  #say(from: Author, text: string): void {
    const said = markdownPieces(text).map(elementOf);
    this.element.replaceChildren(element('div', {}, `${say(from)}: `, ...said));
  }
}

/** Whether a message is older than the first one shown before: the visitor has asked for it. */
function isOlder(id: string, { messages }: ChatState, before: ChatState): boolean {
  const first = messages.findIndex((message) => message.id === before.messages[0]?.id);
  return messages.findIndex((message) => message.id === id) < first;
}

import { say } from '../config.ts';
import type { ChatState } from '../state/chat-state.ts';
import { button, element } from './element.ts';

/** A notice about the conversation, above the composer. */
export class Notice {
  readonly #text = element('p', { attributes: { role: 'status' } });
  readonly #again: HTMLElement;
  readonly element: HTMLElement;

  constructor(startAgain: () => void) {
    this.#again = button('again', say('startAgain'), startAgain);
    this.element = element('div', { class: 'notice' }, this.#text, this.#again);
  }

  render(state: ChatState): void {
    const text = noticeOf(state);
    if (this.#text.textContent !== text) this.#text.textContent = text;
    this.#again.hidden = text !== say('ended');
    this.element.hidden = text === '';
  }
}

function noticeOf({ status, slowUntil, pending }: ChatState): string {
  if (slowUntil !== undefined)
    return say('slowDown', { seconds: Math.max(1, Math.ceil((slowUntil - Date.now()) / 1_000)) });
  if (status === 'person') return say('waitingForPerson');
  if (status === 'delayed') return say('delayed');
  if (status === 'ended' && pending.length === 0) return say('ended');
  return '';
}

import { say } from '../config.ts';
import type { ChatState } from '../state/chat-state.ts';
import { element, icon } from './element.ts';
import { icons } from './icons.ts';

/** The title, and below it the state of the connection when it is not open. */
export class Header {
  readonly #connection = element('p', { class: 'connection', attributes: { role: 'status' } });
  readonly element: HTMLElement;

  /** @param close absent where the chat is a page of its own */
  constructor(close: (() => void) | undefined) {
    this.element = element(
      'header',
      {},
      element(
        'div',
        { class: 'bar' },
        element('span', { class: 'mark' }, icon(icons.chat)),
        element(
          'div',
          { class: 'titles' },
          element('h1', {}, say('title')),
          element('p', {}, say('subtitle')),
        ),
        close && closeButton(close),
      ),
      this.#connection,
    );
  }

  render({ connection }: ChatState): void {
    const text = {
      open: '',
      connecting: say('connecting'),
      reconnecting: say('reconnecting'),
      offline: say('offline'),
      closed: say('unavailable'),
    }[connection];
    if (this.#connection.textContent !== text) this.#connection.textContent = text;
    this.#connection.hidden = text === '';
  }
}

function closeButton(close: () => void): HTMLElement {
  const attributes = { type: 'button', 'aria-label': say('close'), title: say('close') };
  return element('button', { class: 'close', attributes, onClick: close }, icon(icons.close));
}

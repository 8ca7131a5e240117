import { say } from '../config.ts';
import type { ChatState } from '../state/chat-state.ts';
import { button, element, icon } from './element.ts';
import { icons } from './icons.ts';
import { type MessageActions, rowElement } from './row-element.ts';
import { type Row, rowsOf } from './rows.ts';

/** Pixels from the end of the list within which the list follows new messages. */
const nearEnd = 80;

export interface MessageListOptions extends MessageActions {
  readonly showEarlier: () => void;
}

/** The list of messages. It follows its end, unless the visitor reads further up. */
export class MessageList {
  readonly #options: MessageListOptions;
  readonly #list = element('ol', { class: 'list' });
  readonly #earlier: HTMLElement;
  readonly #welcome = element('p', { class: 'welcome' }, say('welcome'));
  readonly #scroller: HTMLElement;
  readonly #toEnd: HTMLElement;
  readonly element: HTMLElement;
  readonly #rows = new Map<string, { readonly row: string; readonly element: HTMLElement }>();

  constructor(options: MessageListOptions) {
    this.#options = options;
    this.#earlier = button('plain earlier', say('earlier'), options.showEarlier);
    this.#scroller = element(
      'div',
      // Another element announces new messages to screen readers, so that they do not read each part of a message.
      {
        class: 'scroller',
        attributes: {
          role: 'log',
          'aria-live': 'off',
          'aria-label': say('conversation'),
          tabindex: '0',
        },
      },
      this.#earlier,
      this.#welcome,
      this.#list,
    );
    this.#toEnd = button('to-end', say('newMessages'), () => this.#scrollToEnd());
    this.#toEnd.append(icon(icons.down));
    this.#toEnd.hidden = true;
    this.#scroller.addEventListener('scroll', () => {
      if (this.#isNearEnd) this.#toEnd.hidden = true;
    });
    // The list is smaller when the keyboard of a telephone is shown.
    new ResizeObserver(() => {
      if (this.#toEnd.hidden) this.#scrollToEnd();
    }).observe(this.#scroller);
    this.element = element('div', { class: 'messages' }, this.#scroller, this.#toEnd);
  }

  render(state: ChatState, before: ChatState): void {
    const follows = this.#isNearEnd || state.pending.length > before.pending.length;
    const height = this.#scroller.scrollHeight;
    const rows = rowsOf(state);
    this.#earlier.hidden = !state.hasEarlier;
    this.#welcome.hidden = rows.length > 0 || state.connection === 'connecting';
    this.#show(rows);
    const isPrepended = state.messages[0]?.id !== before.messages[0]?.id;
    if (follows) this.#scrollToEnd();
    else if (isPrepended) this.#scroller.scrollTop += this.#scroller.scrollHeight - height;
    else if (state.messages.length > before.messages.length) this.#toEnd.hidden = false;
  }

  /** Keeps the elements of rows that have not changed, so that a selection of their text stays. */
  #show(rows: readonly Row[]): void {
    const keys = new Set(rows.map(({ key }) => key));
    for (const [key, { element: gone }] of this.#rows) {
      if (keys.has(key)) continue;
      gone.remove();
      this.#rows.delete(key);
    }
    const elements = rows.map((row) => this.#elementOf(row));
    let place = this.#list.firstElementChild;
    for (const shown of elements) {
      if (shown === place) place = place.nextElementSibling;
      else this.#list.insertBefore(shown, place);
    }
  }

  #elementOf(row: Row): HTMLElement {
    const text = JSON.stringify(row);
    const known = this.#rows.get(row.key);
    if (known?.row === text) return known.element;
    const made = rowElement(row, this.#options);
    known?.element.replaceWith(made);
    this.#rows.set(row.key, { row: text, element: made });
    return made;
  }

  get #isNearEnd(): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    return scrollHeight - scrollTop - clientHeight < nearEnd;
  }

  #scrollToEnd(): void {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#toEnd.hidden = true;
  }
}

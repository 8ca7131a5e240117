import { textLengthMax } from '../../../src/protocol.ts';
import { say } from '../config.ts';
import type { KeptValues } from '../net/stored-values.ts';
import { element, icon } from './element.ts';
import { icons } from './icons.ts';

/** The field in which the visitor writes. Enter sends, Shift and Enter begin a line. The draft survives a reload of the page. */
export class Composer {
  readonly #send: (text: string) => void;
  readonly #kept: KeptValues;
  readonly #text: HTMLTextAreaElement;
  readonly #button: HTMLButtonElement;
  readonly #count = element('p', { class: 'count', attributes: { id: 'count', role: 'status' } });
  readonly element: HTMLFormElement;

  constructor(send: (text: string) => void, kept: KeptValues) {
    this.#send = send;
    this.#kept = kept;
    this.#text = element('textarea', {
      attributes: {
        id: 'text',
        rows: '1',
        placeholder: say('placeholder'),
        'aria-describedby': 'count',
        enterkeyhint: 'send',
      },
    });
    this.#button = element(
      'button',
      {
        class: 'send',
        attributes: { type: 'submit', 'aria-label': say('send'), title: say('send') },
      },
      icon(icons.send),
    );
    this.element = element(
      'form',
      { class: 'composer' },
      element('label', { class: 'hidden', attributes: { for: 'text' } }, say('composer')),
      this.#text,
      this.#button,
      this.#count,
    );
    this.element.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#text.addEventListener('input', () => {
      this.#changed();
      this.#keep();
    });
    this.#text.addEventListener('keydown', (event) => {
      // Enter also ends the composition of a character.
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#submit();
    });
    this.#changed();
  }

  /** Shows the draft that was kept when the page was left. */
  restore(): void {
    this.#show(this.#kept.get('written') ?? this.#text.value);
  }

  clear(): void {
    this.#show('');
  }

  focus(): void {
    this.#text.focus();
  }

  #submit(): void {
    const text = this.#text.value.trim();
    if (text === '' || text.length > textLengthMax) return;
    this.clear();
    this.#send(text);
  }

  #show(text: string): void {
    this.#text.value = text;
    this.#changed();
    this.#keep();
  }

  #keep(): void {
    this.#kept.set('written', this.#text.value || undefined);
  }

  #changed(): void {
    const text = this.#text.value;
    const tooMany = text.trim().length - textLengthMax;
    this.#count.textContent = tooMany > 0 ? say('tooLong', { count: tooMany }) : '';
    this.#text.setAttribute('aria-invalid', String(tooMany > 0));
    // A disabled button would lose the focus.
    this.#button.setAttribute('aria-disabled', String(text.trim() === '' || tooMany > 0));
    this.#text.style.height = 'auto';
    this.#text.style.height = `${this.#text.scrollHeight}px`;
  }
}

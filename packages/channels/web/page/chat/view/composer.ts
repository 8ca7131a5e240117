import { textLengthMax } from '../../../src/protocol.ts';
import { say } from '../config.ts';
import type { KeptValues } from '../net/stored-values.ts';
import { button, element, icon } from './element.ts';
import { icons } from './icons.ts';

/** The message that is edited, and what was written before. */
interface Edit {
  readonly id: string;
  readonly text: string;
  readonly before: string;
}

/** The field in which the visitor writes. Enter sends, Shift and Enter begin a line. The draft survives a reload of the page. */
export class Composer {
  readonly #send: (text: string, replaces?: string) => void;
  readonly #kept: KeptValues;
  readonly #text: HTMLTextAreaElement;
  readonly #button: HTMLButtonElement;
  readonly #count = element('p', { class: 'count', attributes: { id: 'count', role: 'status' } });
  readonly #editing = element('p', { attributes: { role: 'status' } });
  readonly #bar: HTMLElement;
  #edit: Edit | undefined;
  readonly element: HTMLFormElement;

  constructor(send: (text: string, replaces?: string) => void, kept: KeptValues) {
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
    this.#bar = element(
      'div',
      { class: 'editing' },
      this.#editing,
      button('plain', say('cancelEdit'), () => this.#endEdit()),
    );
    this.#bar.hidden = true;
    this.element = element(
      'form',
      { class: 'composer' },
      this.#bar,
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
    this.element.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !this.#edit) return;
      // It does not close the chat.
      event.stopPropagation();
      this.#endEdit();
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
    this.#setEdit(undefined);
    this.#show('');
  }

  /** Lets the visitor change the text of a message. What was written comes back after it. */
  edit(id: string, text: string): void {
    this.#setEdit({ id, text, before: this.#edit?.before ?? this.#text.value });
    this.#show(text);
    this.focus();
  }

  #endEdit(): void {
    const before = this.#edit?.before ?? '';
    this.#setEdit(undefined);
    this.#show(before);
    this.focus();
  }

  #setEdit(edit: Edit | undefined): void {
    this.#edit = edit;
    this.#bar.hidden = !edit;
    this.#editing.textContent = edit ? say('editing') : '';
  }

  focus(): void {
    this.#text.focus();
  }

  #submit(): void {
    const text = this.#text.value.trim();
    if (text === '' || text.length > textLengthMax) return;
    const edit = this.#edit;
    this.#endEdit();
    if (edit?.text !== text) this.#send(text, edit?.id);
  }

  #show(text: string): void {
    this.#text.value = text;
    this.#changed();
    this.#keep();
  }

  #keep(): void {
    if (!this.#edit) this.#kept.set('written', this.#text.value || undefined);
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

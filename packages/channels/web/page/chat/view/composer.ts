import {
  fileBytesMax,
  filesMax,
  nameLengthMax,
  type SentFile,
  textLengthMax,
} from '../../../src/protocol.ts';
import { config, say } from '../config.ts';
import type { WrittenMessage } from '../net/outbox.ts';
import type { KeptValues } from '../net/stored-values.ts';
import { button, element, icon } from './element.ts';
import { icons } from './icons.ts';

/** The message that is edited, and what was written before. */
interface Edit {
  readonly id: string;
  readonly text: string;
  readonly before: string;
}

/** A chosen file. */
interface ChosenFile extends SentFile {
  readonly bytes: number;
}

/**
 * The field in which the visitor writes, and the files that go with the message. Enter sends, Shift and Enter begin a line. The
 * text survives a reload of the page.
 */
export class Composer {
  readonly #send: (message: WrittenMessage) => void;
  readonly #kept: KeptValues;
  readonly #text: HTMLTextAreaElement;
  readonly #button: HTMLButtonElement;
  readonly #chosen = element('ul', { class: 'chosen' });
  readonly #picker = element('input', {
    attributes: { type: 'file', multiple: '', 'aria-label': say('attach'), tabindex: '-1' },
  });
  #files: readonly ChosenFile[] = [];
  readonly #count = element('p', { class: 'count', attributes: { id: 'count', role: 'status' } });
  readonly #editing = element('p', { attributes: { role: 'status' } });
  readonly #bar: HTMLElement;
  #edit: Edit | undefined;
  readonly element: HTMLFormElement;

  constructor(send: (message: WrittenMessage) => void, kept: KeptValues) {
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
      this.#chosen,
      element('label', { class: 'hidden', attributes: { for: 'text' } }, say('composer')),
      config.files ? this.#attachButton() : undefined,
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
    this.#text.addEventListener('paste', (event) => {
      const { files } = event.clipboardData!;
      if (!config.files || files.length === 0) return;
      event.preventDefault();
      void this.#choose(files);
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
    this.#setFiles([]);
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
    const edit = this.#edit;
    const files = edit ? [] : this.#files;
    if (text.length > textLengthMax || (text === '' && files.length === 0)) return;
    this.#endEdit();
    if (edit) {
      if (edit.text !== text) this.#send({ text, replaces: edit.id });
    } else if (files.length === 0) this.#send({ text });
    else {
      this.#setFiles([]);
      this.#send({ text, files: files.map(({ name, url }) => ({ name, url })) });
    }
  }

  #attachButton(): HTMLElement {
    this.#picker.hidden = true;
    this.#picker.addEventListener('change', () => {
      void this.#choose(this.#picker.files!);
      this.#picker.value = '';
    });
    const attributes = { type: 'button', 'aria-label': say('attach'), title: say('attach') };
    const choose = () => this.#picker.click();
    return element(
      'span',
      {},
      this.#picker,
      element('button', { class: 'attach', attributes, onClick: choose }, icon(icons.attach)),
    );
  }

  async #choose(files: FileList): Promise<void> {
    const readings = Array.from(files, (file) => readFile(file).catch(() => file.name));
    const read = await Promise.all(readings);
    this.#setFiles([...this.#files, ...read.filter((each) => typeof each !== 'string')]);
    const unreadable = read.find((each) => typeof each === 'string');
    if (unreadable !== undefined)
      this.#count.textContent = say('fileRefused', { name: unreadable });
    this.focus();
  }

  /** Files that are too many for one message are left out, and a line says so. */
  #setFiles(files: readonly ChosenFile[]): void {
    let bytesLeft = fileBytesMax;
    this.#files = files
      .slice(0, filesMax)
      .filter(({ bytes }) => bytes <= bytesLeft && (bytesLeft -= bytes) >= 0);
    const remove = (file: ChosenFile) => {
      this.#setFiles(this.#files.filter((each) => each !== file));
      this.focus();
    };
    this.#chosen.replaceChildren(
      ...this.#files.map((file) => {
        const label = say('detach', { name: file.name });
        const attributes = { type: 'button', 'aria-label': label, title: label };
        const onClick = () => remove(file);
        return element(
          'li',
          { class: 'attachment' },
          element('span', { attributes: { dir: 'auto' } }, file.name),
          element('button', { class: 'edit', attributes, onClick }, icon(icons.close)),
        );
      }),
    );
    this.#changed();
    if (this.#files.length < files.length)
      this.#count.textContent = say('filesTooMany', {
        count: filesMax,
        size: fileBytesMax / 1_000_000,
      });
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
    const isEmpty = text.trim() === '' && this.#files.length === 0;
    const tooMany = text.trim().length - textLengthMax;
    this.#count.textContent = tooMany > 0 ? say('tooLong', { count: tooMany }) : '';
    this.#text.setAttribute('aria-invalid', String(tooMany > 0));
    // A disabled button would lose the focus.
    this.#button.setAttribute('aria-disabled', String(isEmpty || tooMany > 0));
    this.#text.style.height = 'auto';
    this.#text.style.height = `${this.#text.scrollHeight}px`;
  }
}

/** Reads a file that the visitor has chosen. */
async function readFile(file: File): Promise<ChosenFile> {
  const reader = new FileReader();
  const url = await new Promise<string>((resolve, reject) => {
    reader.addEventListener('load', () => resolve(reader.result as string));
    reader.addEventListener('error', () => reject(reader.error!));
    reader.readAsDataURL(file);
  });
  return { name: file.name.slice(-nameLengthMax), url, bytes: file.size };
}

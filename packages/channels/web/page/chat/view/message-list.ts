import { config, say } from '../config.ts';
import { type ChatState, isBusy, type PendingMessage } from '../state/chat-state.ts';
import { linkedPieces, linkPiece, markdownPieces, safeAddress } from '../../../src/markdown.ts';
import type { Author, ChatLink, KeptFile } from '../../../src/protocol.ts';
import { button, element, elementOf, icon } from './element.ts';
import { icons } from './icons.ts';

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

/** What the visitor can do with a message. */
interface MessageActions {
  /** @param id of the message that the text replaces */
  readonly edit: (id: string, text: string) => void;
  readonly retry: (id: string) => void;
  readonly discard: (id: string) => void;
}

function rowElement(row: Row, actions: MessageActions): HTMLElement {
  switch (row.kind) {
    case 'day':
      return element('li', { class: 'day' }, element('span', {}, row.text));
    case 'message':
      return messageElement(row, actions);
    case 'draft':
      return begunElement('draft', row.isContinued, bubbleOf('agent', row.text));
    case 'typing':
      return begunElement('', row.isContinued, typingDots());
  }
}

/** A draft with the layout of the finished message, so that nothing moves when it is finished. */
function begunElement(className: string, isContinued: boolean, bubble: HTMLElement): HTMLElement {
  return element(
    'li',
    { class: `row agent ${className} ${isContinued ? 'continued' : ''}` },
    isContinued ? undefined : avatar('agent'),
    element(
      'div',
      { class: 'message' },
      isContinued ? undefined : element('span', { class: 'author' }, say('agent')),
      bubble,
    ),
  );
}

function messageElement(row: MessageRow, actions: MessageActions): HTMLElement {
  const { from, text, links, files, isContinued, delivery, at, isLast } = row;
  const { replaces, isReplaced, isEditable } = row;
  const classes = ['row', from, isContinued && 'continued', delivery === 'failed' && 'failed'];
  if (isReplaced) classes.push('replaced');
  const edited = isReplaced ? say('replaced') : replaces !== undefined && say('edited');
  return element(
    'li',
    { class: classes.filter(Boolean).join(' ') },
    from !== 'visitor' && !isContinued ? avatar(from) : undefined,
    element(
      'div',
      { class: 'message' },
      element(
        'span',
        { class: isContinued || from === 'visitor' ? 'hidden' : 'author' },
        say(from),
      ),
      ...files.map(fileElement),
      isEditable
        ? element(
            'div',
            { class: 'editable' },
            bubbleOf(from, text),
            editButton(() => actions.edit(replaces ?? row.key, text)),
          )
        : text === ''
          ? undefined
          : bubbleOf(from, text),
      ...links.flatMap(({ url, name }) => attachment(url, name)),
      edited ? element('div', { class: 'meta' }, edited) : undefined,
      deliveryElement(row, actions) ??
        (isLast
          ? element(
              'time',
              { class: 'meta', attributes: { datetime: new Date(at).toISOString() } },
              timeText(at),
            )
          : undefined),
    ),
  );
}

/** Each text has the direction of its own script. Visitors write no Markdown. */
function bubbleOf(from: Author, text: string): HTMLElement {
  const pieces = from === 'visitor' ? linkedPieces(text) : markdownPieces(text);
  return element('div', { class: 'bubble', attributes: { dir: 'auto' } }, ...pieces.map(elementOf));
}

function editButton(onClick: () => void): HTMLElement {
  const attributes = { type: 'button', 'aria-label': say('edit'), title: say('edit') };
  return element('button', { class: 'edit', attributes, onClick }, icon(icons.edit));
}

function deliveryElement(
  { key, delivery, showsDelivery, at }: MessageRow,
  { retry, discard }: MessageActions,
): HTMLElement | undefined {
  switch (delivery) {
    case 'failed':
      return element(
        'div',
        { class: 'meta' },
        element('span', {}, say('failed')),
        button('plain', say('retry'), () => retry(key)),
        button('plain', say('discard'), () => discard(key)),
      );
    case 'waiting':
    case 'sending':
      return element('div', { class: 'meta' }, say(delivery));
    case 'sent':
    case 'received':
      return showsDelivery
        ? element('div', { class: 'meta' }, `${timeText(at)} · ${say('sent')}`)
        : undefined;
  }
}

function attachment(url: string, name: string): HTMLElement[] {
  const safe = safeAddress(url);
  if (safe === undefined) return [];
  const made = elementOf(linkPiece(safe, [])) as HTMLElement;
  made.className = 'attachment';
  made.append(icon(icons.link), element('span', {}, name || say('attachment')));
  return [made];
}

function fileElement({ name, isRefused }: KeptFile): HTMLElement {
  return element(
    'span',
    { class: isRefused ? 'attachment refused' : 'attachment' },
    icon(icons.attach),
    element(
      'span',
      { attributes: { dir: 'auto' } },
      isRefused ? say('fileRefused', { name }) : name,
    ),
  );
}

function avatar(from: Author): HTMLElement {
  const [letter = ''] = say(from);
  return element('span', { class: 'avatar', attributes: { 'aria-hidden': 'true' } }, letter);
}

function typingDots(): HTMLElement {
  const text = element('span', { class: 'hidden' }, say('typing', { name: say('agent') }));
  const dot = () => element('i', { attributes: { 'aria-hidden': 'true' } });
  return element('div', { class: 'bubble typing' }, text, dot(), dot(), dot());
}

/** A message in the list. */
interface MessageRow {
  readonly kind: 'message';
  readonly key: string;
  readonly from: Author;
  readonly text: string;
  readonly at: number;
  readonly links: readonly ChatLink[];
  readonly files: readonly KeptFile[];
  /** Whether another message of the same author is right above. */
  readonly isContinued: boolean;
  /** Whether the time is shown: below the last message of a group. */
  readonly isLast: boolean;
  /** The delivery of the visitor's own messages. `received`: the conversation has it. */
  readonly delivery: PendingMessage['state'] | 'received';
  /** The id of the message that it replaces. */
  readonly replaces: string | undefined;
  /** Whether a later message replaces it. */
  readonly isReplaced: boolean;
  /** Whether the visitor can edit it. */
  readonly isEditable: boolean;
  /** Whether the delivery state is shown although nothing is wrong: at the visitor's last message. */
  readonly showsDelivery: boolean;
}

/** A message of the agent that is not finished. */
interface Begun {
  readonly key: string;
  readonly isContinued: boolean;
}

/** The rows of the list, from top to bottom. */
type Row =
  | { readonly kind: 'day'; readonly key: string; readonly text: string }
  | MessageRow
  | ({ readonly kind: 'draft'; readonly text: string } & Begun)
  | ({ readonly kind: 'typing' } & Begun);

/** Messages of one author within this time are a group. */
const groupMs = 5 * 60_000;

/** The ids that pages make. Messages of the contact that came through another channel are not edited here. */
const ownId = /^[\w-]{8,64}$/;

/** @returns the rows of the list, each with a key of its own */
function rowsOf({ messages, pending, draft, status }: ChatState): readonly Row[] {
  const all = [
    ...messages.map((message) => ({ ...message, delivery: 'received' as const })),
    ...pending.map(({ state, ...message }) => ({
      ...message,
      from: 'visitor' as const,
      delivery: state,
    })),
  ];
  const rows: Row[] = [];
  const open = status === 'ended' ? undefined : messages.at(-1)?.conversation;
  /** The last edits, by the ids of the first messages. */
  const edits = new Map(all.map(({ id, replaces }) => [replaces, id]));
  let today = '';
  for (const [index, each] of all.entries()) {
    const { id, from, text, at, replaces, delivery, files = [], ...rest } = each;
    const date = new Date(at).toDateString();
    if (date !== today) rows.push({ kind: 'day', key: `day:${date}`, text: dayText(at) });
    const [above, below] = [all[index - 1], all[index + 1]];
    const isContinued =
      date === today &&
      above?.from === from &&
      at - above.at < groupMs &&
      above.delivery !== 'failed';
    today = date;
    const isLast =
      below?.from !== from ||
      below.at - at >= groupMs ||
      new Date(below.at).toDateString() !== date;
    const links = 'links' in rest ? (rest.links ?? []) : [];
    const edit = edits.get(replaces ?? id);
    const isReplaced = edit !== undefined && edit !== id;
    const isOpen = 'conversation' in rest && rest.conversation === open;
    const isEditable = from === 'visitor' && isOpen && !isReplaced && ownId.test(replaces ?? id);
    const showsDelivery = from === 'visitor' && below === undefined;
    rows.push({
      kind: 'message',
      key: id,
      from,
      text,
      at,
      links,
      files,
      isContinued,
      isLast,
      delivery,
      replaces,
      isReplaced,
      isEditable,
      showsDelivery,
    });
  }
  const isContinued = all.at(-1)?.from === 'agent';
  if (draft) rows.push({ kind: 'draft', key: draft.id, text: draft.text, isContinued });
  else if (isBusy(status)) rows.push({ kind: 'typing', key: 'typing', isContinued });
  return rows;
}

const time = new Intl.DateTimeFormat(config.language, { timeStyle: 'short' });
const day = new Intl.DateTimeFormat(config.language, { dateStyle: 'full' });

const dayMs = 86_400_000;

function timeText(at: number): string {
  return time.format(at);
}

/** The day of a time: today, yesterday or its date. */
function dayText(at: number): string {
  const given = new Date(at).toDateString();
  if (given === new Date().toDateString()) return say('today');
  if (given === new Date(Date.now() - dayMs).toDateString()) return say('yesterday');
  return day.format(at);
}

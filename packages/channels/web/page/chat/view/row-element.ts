import { linkedPieces, linkPiece, markdownPieces, safeAddress } from '../../../src/markdown.ts';
import type { Author, KeptFile } from '../../../src/protocol.ts';
import { say } from '../config.ts';
import { button, element, elementOf, icon } from './element.ts';
import { icons } from './icons.ts';
import { type MessageRow, type Row, timeText } from './rows.ts';

/** What the visitor can do with a message. */
export interface MessageActions {
  /** @param id of the message that the text replaces */
  readonly edit: (id: string, text: string) => void;
  readonly retry: (id: string) => void;
  readonly discard: (id: string) => void;
}

export function rowElement(row: Row, actions: MessageActions): HTMLElement {
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

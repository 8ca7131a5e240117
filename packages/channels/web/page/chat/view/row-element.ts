import type { Author } from '../../../src/protocol.ts';
import { say } from '../config.ts';
import { button, element, icon } from './element.ts';
import { icons } from './icons.ts';
import { type MessageRow, type Row, timeText } from './rows.ts';

/** The actions for a message that was not sent. */
export interface MessageActions {
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
      return begunElement('draft', row.isContinued, element('div', { class: 'bubble' }, row.text));
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
  const { from, text, links, isContinued, delivery, at, isLast } = row;
  const classes = ['row', from, isContinued && 'continued', delivery === 'failed' && 'failed'];
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
      element('div', { class: 'bubble' }, ...linkedText(text)),
      ...links.flatMap(({ url, name }) => attachment(url, name)),
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
  const made = link(safe, icon(icons.link), element('span', {}, name || say('attachment')));
  made.className = 'attachment';
  return [made];
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

/** Addresses in a text, without the punctuation after them. */
const address = /https?:\/\/[^\s<>"']+/gi;
const punctuation = /[.,;:!?'"…]+$/;

/** A text in which addresses are links. It is never markup. */
function linkedText(text: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(address)) {
    const url = withoutRest(found);
    if (safeAddress(url) === undefined) continue;
    parts.push(text.slice(end, index), link(url, url));
    end = index + url.length;
  }
  return [...parts, text.slice(end)].filter((part) => part !== '');
}

/** A link to an address that `safeAddress` has checked. */
function link(url: string, ...content: (Node | string)[]): HTMLAnchorElement {
  const attributes = { href: url, target: '_blank', rel: 'noopener noreferrer nofollow' };
  return element('a', { attributes }, ...content);
}

/** The address, if it is one of the web. Others, such as `javascript:`, are not followed. */
function safeAddress(url: string): string | undefined {
  const parsed = URL.parse(url);
  return parsed && ['http:', 'https:'].includes(parsed.protocol) ? parsed.href : undefined;
}

/** A closing bracket belongs to the address only if the opening one does. */
function withoutRest(found: string): string {
  let url = found.replace(punctuation, '');
  while (url.endsWith(')') && url.split('(').length < url.split(')').length)
    url = url.slice(0, -1).replace(punctuation, '');
  return url;
}

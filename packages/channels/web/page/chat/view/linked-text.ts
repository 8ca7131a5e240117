import { element } from './element.ts';

/** Addresses in a text, without the punctuation after them. */
const address = /https?:\/\/[^\s<>"']+/gi;
const punctuation = /[.,;:!?'"…]+$/;

/** A text in which addresses can be followed. It is never markup. */
export function linkedText(text: string): (Node | string)[] {
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
export function link(url: string, ...content: (Node | string)[]): HTMLAnchorElement {
  const attributes = { href: url, target: '_blank', rel: 'noopener noreferrer nofollow' };
  return element('a', { attributes }, ...content);
}

/** The address, if a page of the web has it. Others, such as `javascript:`, are not followed. */
export function safeAddress(url: string): string | undefined {
  const parsed = URL.parse(url);
  return parsed && ['http:', 'https:'].includes(parsed.protocol) ? parsed.href : undefined;
}

/** A closing bracket belongs to the address only if the address has opened it. */
function withoutRest(found: string): string {
  let url = found.replace(punctuation, '');
  while (url.endsWith(')') && url.split('(').length < url.split(')').length)
    url = url.slice(0, -1).replace(punctuation, '');
  return url;
}

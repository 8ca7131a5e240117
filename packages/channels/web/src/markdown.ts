import { Lexer, type MarkedToken, type Token } from 'marked';

/** A piece of a message for a page: a string, which is never markup, or an element of a closed list. */
export type Piece = string | PieceElement;

export interface PieceElement {
  readonly name: 'p' | 'strong' | 'em' | 'code' | 'pre' | 'ul' | 'ol' | 'li' | 'a' | 'br';
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Piece[];
}

/** The lexer takes quadratic time for some texts: longer ones are shown as they are, in UTF-16 units. */
const longestMarkdown = 4_000;

/**
 * The pieces of a message with Markdown: bold, italics, lists, links to the web, code, and headings as bold lines. Everything else,
 * such as HTML and images, is shown as it was written.
 */
export function markdownPieces(text: string): readonly Piece[] {
  if (text.length > longestMarkdown) return linkedPieces(text);
  try {
    return blocks(new Lexer({ gfm: true }).lex(text));
  } catch {
    // Levels that are nested too deep.
    return linkedPieces(text);
  }
}

/** The pieces of a message without markup, in which addresses of the web are links. */
export function linkedPieces(text: string): readonly Piece[] {
  const parts: Piece[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(address)) {
    const url = withoutRest(found);
    if (safeAddress(url) === undefined) continue;
    parts.push(text.slice(end, index), linkPiece(url, [url]));
    end = index + url.length;
  }
  return [...parts, text.slice(end)].filter((part) => part !== '');
}

/** A link to an address that `safeAddress` has checked. */
export function linkPiece(url: string, children: readonly Piece[]): PieceElement {
  const attributes = { href: url, target: '_blank', rel: 'noopener noreferrer nofollow' };
  return { name: 'a', attributes, children };
}

/** The address, if it is one of the web. Others, such as `javascript:`, are not followed, and neither are those with a user name, which looks like a site. */
export function safeAddress(url: string): string | undefined {
  const parsed = URL.parse(url);
  const isSafe = parsed && ['http:', 'https:'].includes(parsed.protocol) && parsed.username === '';
  return isSafe ? parsed.href : undefined;
}

/** Whether the text of a link shows an address of another site. */
function namesOtherSite(text: string, url: string): boolean {
  const [shown] = /(?:https?:\/\/|www\.)[^\s<>"']+/i.exec(text) ?? [];
  if (shown === undefined) return false;
  return URL.parse(/^www/i.test(shown) ? `http://${shown}` : shown)?.host !== URL.parse(url)?.host;
}

function blocks(tokens: readonly Token[]): readonly Piece[] {
  return tokens.flatMap((token) => {
    const known = token as MarkedToken;
    switch (known.type) {
      case 'space':
        return [];
      case 'heading':
        return piece('p', piece('strong', ...inline(known.tokens)));
      case 'code':
        return piece('pre', piece('code', known.text));
      case 'list': {
        const items = known.items.map((item) => piece('li', ...blocks(item.tokens)));
        const { start } = known;
        return known.ordered
          ? { ...piece('ol', ...items), attributes: { start: `${start || 1}` } }
          : piece('ul', ...items);
      }
      case 'paragraph':
        return piece('p', ...inline(known.tokens));
      case 'text':
        return inline(known.tokens ?? [known]);
      case 'checkbox':
        return [known.raw];
      default:
        return piece('p', known.raw.trimEnd());
    }
  });
}

function inline(tokens: readonly Token[]): readonly Piece[] {
  return tokens.map((token) => {
    const known = token as MarkedToken;
    switch (known.type) {
      case 'text':
      case 'escape':
        return known.text;
      case 'strong':
      case 'em':
        return piece(known.type, ...inline(known.tokens));
      case 'codespan':
        return piece('code', known.text);
      case 'br':
        return piece('br');
      case 'link': {
        const url = safeAddress(known.href);
        return url === undefined || namesOtherSite(known.text, url)
          ? known.raw
          : linkPiece(known.href, inline(known.tokens));
      }
      default:
        return known.raw;
    }
  });
}

function piece(name: PieceElement['name'], ...children: readonly Piece[]): PieceElement {
  return { name, attributes: {}, children };
}

/** Addresses in a text, without the punctuation after them. */
const address = /https?:\/\/[^\s<>"']+/gi;
const punctuation = new Set('.,;:!?\'"…');

/** A closing bracket belongs to the address only if the opening one does. */
function withoutRest(found: string): string {
  let unopened = found.split(')').length - found.split('(').length;
  let { length } = found;
  for (; length > 0; length -= 1) {
    if (found[length - 1] === ')' && unopened > 0) unopened -= 1;
    else if (!punctuation.has(found[length - 1]!)) break;
  }
  return found.slice(0, length);
}

import { placeholderEnd } from '../placeholders/placeholder.ts';

export interface BarePlaceholders {
  /** The text with each placeholder outside of quotes replaced by a JSON string of the same length. */
  readonly text: string;
  /** The offsets of these placeholders. */
  readonly offsets: ReadonlySet<number>;
}

/**
 * Finds placeholders that are not in quotes, as templates of JSON have them: `"TimeoutSeconds": ${timeout}`. The length of the text
 * stays the same, so positions do too.
 */
export function quoteBarePlaceholders(text: string): BarePlaceholders {
  const offsets = new Set<number>();
  if (!text.includes('${')) return { text, offsets };
  const parts: string[] = [];
  let copied = 0;
  let offset = 0;
  while (offset < text.length) {
    const end = text[offset] === '$' ? placeholderEnd(text, offset) : undefined;
    if (end === undefined) {
      offset = behindTokenAt(text, offset);
      continue;
    }
    offsets.add(offset);
    parts.push(text.slice(copied, offset), `"${'x'.repeat(end - offset - 2)}"`);
    copied = end;
    offset = end;
  }
  return { text: parts.join('') + text.slice(copied), offsets };
}

/** The offset after the string, the comment or the character at an offset. */
function behindTokenAt(text: string, start: number): number {
  if (text[start] === '"') return behindQuotes(text, start);
  if (text.startsWith('//', start)) return behind(text, '\n', start);
  if (text.startsWith('/*', start)) return behind(text, '*/', start + 2);
  return start + 1;
}

/** A string ends at the end of its line, as for the parser. */
function behindQuotes(text: string, start: number): number {
  let offset = start + 1;
  while (offset < text.length && text[offset] !== '"' && text[offset] !== '\n')
    offset += text[offset] === '\\' ? 2 : 1;
  return offset + 1;
}

function behind(text: string, end: string, start: number): number {
  const found = text.indexOf(end, start);
  return found < 0 ? text.length : found + end.length;
}

/** Signs of YAML inside of placeholders, and private characters that take their places while it is parsed. */
const signs = ['{', '}', ',', '[', ']'];
const firstPrivate = 0xe0_00;
const privateCharacters = /[\uE000-\uE004]/g;

/** Hides the brackets of placeholders from the YAML parser: `{ Table: ${Table} }`. The length stays the same. */
export function hideBrackets(text: string): string {
  if (text.search(privateCharacters) >= 0) return text;
  return text.replace(/\$\{[A-Za-z_][^{}"\n]{0,400}\}/g, (found) =>
    found.replace(/[{},[\]]/g, (sign) => String.fromCharCode(firstPrivate + signs.indexOf(sign))),
  );
}

export function showBrackets(text: string): string {
  return text.replace(
    privateCharacters,
    (hidden) => signs[hidden.charCodeAt(0) - firstPrivate] ?? hidden,
  );
}

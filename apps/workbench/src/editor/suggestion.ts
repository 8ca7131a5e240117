import type { Diagnostic } from '@dramaturg/compiler';

/** The name that a hint suggests in place of the one in the text: `Did you mean "farewell"?`. */
export function suggestionOf({ hint }: Pick<Diagnostic, 'hint'>): string | undefined {
  return /^Did you mean "([^"]+)"\?$/.exec(hint ?? '')?.[1];
}

/** A text with a suggestion in the place of a finding, in the quotes that are there. */
export function withSuggestion(text: string, { range }: Diagnostic, suggestion: string): string {
  // Positions are counted with "\n" as line break.
  const lines = text.replaceAll('\r\n', '\n');
  const [from, to] = [range.start.offset, range.end.offset];
  const quote = /^["']/.exec(lines.slice(from, to))?.[0] ?? '';
  return `${lines.slice(0, from)}${quote}${suggestion}${quote}${lines.slice(to)}`;
}

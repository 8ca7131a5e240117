import { compileSearch } from './search.ts';

/**
 * Matches a whole text with a pattern: `*` matches any characters, `\*` and `\\` the character itself. The
 * time is in proportion to the sum of the two lengths. Spec: Agent 2 §String Comparisons, Amazon
 * #choice-state
 */
export function compileGlob(pattern: string): (text: string) => boolean {
  const parts = partsOf(pattern);
  const [first] = parts;
  const last = parts.at(-1)!;
  if (parts.length === 1) return (text) => text === first;
  const inner = parts
    .slice(1, -1)
    .filter((part) => part !== '')
    .map((part) => ({ search: compileSearch(part), length: part.length }));
  return (text) => {
    if (text.length < first!.length + last.length) return false;
    if (!text.startsWith(first!) || !text.endsWith(last)) return false;
    const end = text.length - last.length;
    let at = first!.length;
    // The first occurrence is the best: a later one only leaves less text for the other parts.
    for (const { search, length } of inner) {
      const found = search(text, at);
      if (found < 0 || found + length > end) return false;
      at = found + length;
    }
    return true;
  };
}

/** The texts between the stars, with their escapes resolved. */
function partsOf(pattern: string): string[] {
  const parts = [''];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at]!;
    if (character === '*') {
      parts.push('');
      continue;
    }
    const escaped = character === '\\' ? pattern[at + 1] : undefined;
    if (escaped === '*' || escaped === '\\') at += 1;
    parts[parts.length - 1] += escaped === '*' || escaped === '\\' ? escaped : character;
  }
  return parts;
}

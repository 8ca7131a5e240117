/** Words around names in sentences: articles, plurals and lists. All names here are English nouns, except those in quotes. */

/**
 * A noun with its indefinite article: `an NPC`, `a unit`.
 *
 * Do not use it for a name in quotes, which can be in any language: word such a sentence without an article.
 */
export function withArticle(noun: string, article: 'a' | 'A' = 'a'): string {
  return `${article}${beginsWithVowelSound(noun) ? 'n' : ''} ${noun}`;
}

function beginsWithVowelSound(noun: string): boolean {
  const [word = ''] = noun.split(/[^\p{L}\p{N}]/u);
  if (/^[A-Z][A-Z0-9]+s?$/.test(word)) return /^[AEFHILMNORSX]/.test(word);
  if (/^(?:hour|heir|honest|honou?r)/i.test(word)) return true;
  if (/^(?:eu|ewe|on(?:c)?e(?:$|\P{L}|sel|s$)|u(?:bi|ni(?!n|m)|s(?:a|e|u)|ti))/iu.test(word))
    return false;
  return /^(?:[aeiouàáâäåæèéêëìíîïòóôöøùúûü]|8|1[18]$)/i.test(word);
}

/** `1 field`, `2 fields`, `0 fields`. */
export function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : pluralOf(noun)}`;
}

/** `field` for one, `fields` for any other number. */
export function agreeing(noun: string, count: number): string {
  return count === 1 ? noun : pluralOf(noun);
}

function pluralOf(noun: string): string {
  if (/[^aeiou]y$/i.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/i.test(noun) ? `${noun}es` : `${noun}s`;
}

const longestList = 8;

/** `"a", "b" and "c"`; of a long list, the first eight and how many more there are. */
export function quotedList(names: readonly string[], last: 'and' | 'or' = 'and'): string {
  const quoted = names.slice(0, longestList).map((name) => `"${name}"`);
  const rest = names.length - quoted.length;
  const items = rest > 0 ? [...quoted, `${rest} more`] : quoted;
  return items.length < 2
    ? items.join('')
    : `${items.slice(0, -1).join(', ')} ${last} ${items.at(-1)}`;
}

/** `"a" → "b" → "a"`; a long chain is cut in the middle. */
export function quotedChain(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`);
  const shown =
    quoted.length > longestList ? [...quoted.slice(0, 5), '…', ...quoted.slice(-2)] : quoted;
  return shown.join(' → ');
}

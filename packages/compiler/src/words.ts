/** A word of a text: its forms for comparison, and its position. */
export interface Word {
  /** In lower case, with a straight apostrophe. */
  readonly text: string;
  /** Without a plural ending. Words with the same singular count as the same name. */
  readonly singular: string;
  /** Without common endings. A shared stem is evidence, but not the same name (Bill is not billing). */
  readonly stem: string;
  readonly start: number;
  readonly end: number;
  /** The number of the clause that it is in. */
  readonly clause: number;
}

const clauseBreak = /[.,;:!?\n()]/u;

/** Spaces, underscores and hyphens separate words; camel case does not. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  let clause = 0;
  let previousEnd = 0;
  for (const match of text.matchAll(/[\p{L}\p{M}\p{N}]+(?:['’]\p{L}+)*/gu)) {
    const lower = match[0].toLowerCase().replaceAll('’', "'");
    if (clauseBreak.test(text.slice(previousEnd, match.index)) || lower === 'but') clause += 1;
    previousEnd = match.index + match[0].length;
    words.push({
      text: lower,
      singular: singularOf(lower),
      stem: stemOf(lower),
      start: match.index,
      end: previousEnd,
      clause,
    });
  }
  return words;
}

/** The words of an identifier: `issueType`, `issue_type` and `issue-type` give the same two words. */
export function wordsOfName(name: string): Word[] {
  return wordsOf(name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2'));
}

function singularOf(word: string): string {
  const base = word.endsWith("'s") ? word.slice(0, -2) : word;
  if (base.length > 4 && base.endsWith('ies')) return `${base.slice(0, -3)}y`;
  if (base.length > 4 && /(?:ss|x|ch|sh)es$/u.test(base)) return base.slice(0, -2);
  return base.length > 3 && base.endsWith('s') && !base.endsWith('ss') ? base.slice(0, -1) : base;
}

/** Endings, and how many letters each must leave. */
const endings: readonly (readonly [ending: string, least: number])[] = [
  ['ation', 4],
  ['ment', 3],
  ['ing', 3],
  ['ly', 4],
  ['ed', 3],
  ['e', 3],
];

function stemOf(word: string): string {
  let stem = singularOf(word);
  for (const [ending, least] of endings) {
    if (!stem.endsWith(ending) || stem.length - ending.length < least) continue;
    stem = stem.slice(0, -ending.length);
    break;
  }
  const last = stem.at(-1);
  return stem.length > 3 && last === stem.at(-2) ? stem.slice(0, -1) : stem;
}

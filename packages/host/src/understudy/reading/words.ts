/** How many characters of a message are searched. A longer message is still kept whole as a free-text answer. */
const evidenceLength = 5_000;

/** The part of a message that is searched. */
export function excerpt(text: string): string {
  return text.slice(0, evidenceLength);
}

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

const stopWords = new Set(
  `a an and any are as at be been being but by can could did do does for from had has have he her his how i if in into
  is it its me my no not of off on or our she so some than that the their them then there these they this those to too
  us want wants was we were what when where which who whose why will with would you your yes please user users customer customers
  participant participants person people someone whether e.g eg etc i'm it's`.split(/\s+/u),
);

/** Whether a word does not tell what a sentence is about. */
export function isStopWord(word: Word): boolean {
  return stopWords.has(word.text) || stopWords.has(word.singular);
}

const negators = new Set(
  'not no never without except nor neither unlike cannot dont doesnt didnt isnt arent wasnt wont cant'.split(
    ' ',
  ),
);

/** How many words a negation affects: "not a billing problem" and "I do not want any billing" negate billing. */
const negationReach = 3;

/** Whether a negation is shortly before the word, in the same clause. */
export function isNegated(words: readonly Word[], index: number): boolean {
  const word = words[index];
  for (let at = index - 1; at >= Math.max(0, index - negationReach); at -= 1) {
    const before = words[at];
    if (before === undefined || before.clause !== word?.clause) return false;
    if (negators.has(before.text) || before.text.endsWith("n't")) return true;
    const pair = `${words[at - 1]?.text ?? ''} ${before.text}`;
    if (pair === 'rather than' || pair === 'instead of') return true;
  }
  return false;
}

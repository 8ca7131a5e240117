import type { Word } from '@dramaturg/compiler/text';

/** How many characters of a message are searched. A longer message is still kept whole as a free-text answer. */
const evidenceLength = 5_000;

/** The part of a message that is searched. */
export function excerpt(text: string): string {
  return text.slice(0, evidenceLength);
}

const stopWords = new Set(
  `a an and any are as at be been being but by can could did do does for from had has have he her his how i if in into
  is it its me my no not of off on or our she so some than that the their them then there these they this those to too
  us want wants was we were what when where which who whose why will with would you your yes please user users customer customers
  participant participants person people someone whether e.g eg etc i'm it's`.split(/\s+/u),
);

/** Whether a word says nothing about the subject of a sentence. */
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

/** Words before an answer that are not part of it. */
const fillers = new Set(
  'well um umm uh hmm hm oh ah er so actually honestly haha sorry hey hi hello'.split(' '),
);

/**
 * The clauses of a text as plain phrases: lower case, straight apostrophes, single spaces, no punctuation at the ends and no
 * fillers at the start. They are compared with phrases that people say.
 */
export function phrasesOf(text: string): string[] {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .split(/[.,;:!?\n()]/u)
    .map(plainPhrase)
    .filter((phrase) => phrase !== '');
}

/** The whole text as one plain phrase. */
export function phraseOf(text: string): string {
  return phrasesOf(text).join(' ');
}

function plainPhrase(clause: string): string {
  const words = clause.split(/[\s"“”*_–—-]+/u).filter((word) => word !== '');
  while (words.length > 1 && fillers.has(words[0] ?? '')) words.shift();
  return words.length === 1 && fillers.has(words[0] ?? '') ? '' : words.join(' ');
}

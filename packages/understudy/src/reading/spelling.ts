import { distanceBetween, typosAllowed } from './distance.ts';
import { type Word, wordsOf } from '@dramaturg/compiler/text';
import { isStopWord } from './words.ts';

/** In longer texts a word that looks like an option is more likely another word. */
const longestText = 12;
const mostVocabulary = 200;
const shortestPrefix = 3;

/**
 * Replaces misspelt and shortened words by the words of the vocabulary that they mean: "teknical" and "tech" become
 * "technical". A word that could be two words of the vocabulary does not change.
 */
export function correctSpelling(text: string, vocabulary: readonly Word[]): string {
  const said = wordsOf(text);
  if (said.length > longestText) return text;
  const known = vocabulary.filter((word) => !isStopWord(word)).slice(0, mostVocabulary);
  let corrected = '';
  let end = 0;
  for (const word of said) {
    const meant = meantBy(word, known);
    if (meant === undefined) continue;
    corrected += text.slice(end, word.start) + meant;
    end = word.end;
  }
  return corrected + text.slice(end);
}

/** The words of the vocabulary that a word is closest to, when it is not one of them. */
export function nearWords(word: Word, known: readonly Word[]): string[] {
  if (word.text.length < shortestPrefix || isStopWord(word)) return [];
  if (known.some(({ text, singular, stem }) => isSame(word, text, singular, stem))) return [];
  const near = known.flatMap(({ text }) => {
    const distance = distanceBetween(word.text, text);
    return distance <= typosAllowed(text) ? [{ text, distance }] : [];
  });
  const best = Math.min(...near.map(({ distance }) => distance));
  const closest = new Set(near.filter(({ distance }) => distance === best).map(({ text }) => text));
  // A word that is equally near to two words means neither, whatever its first letter.
  const [only = ''] = closest;
  if (closest.size > 1 || startsAlike(word.text, only)) return [...closest];
  return [...new Set(known.map(({ text }) => text).filter((text) => text.startsWith(word.text)))];
}

function meantBy(word: Word, known: readonly Word[]): string | undefined {
  const near = nearWords(word, known);
  return near.length === 1 ? near[0] : undefined;
}

function isSame(word: Word, text: string, singular: string, stem: string): boolean {
  return word.text === text || word.singular === singular || word.stem === stem;
}

/** The first letter of a short word is rarely wrong: "food" is not "good". */
function startsAlike(said: string, meant: string): boolean {
  if (said[0] === meant[0]) return true;
  if (said[0] === meant[1] && said[1] === meant[0]) return true;
  return meant.length >= 7;
}

import type { Field } from './field.ts';
import { namesOf } from './mentioned-values.ts';
import { evidenceFor, exactOption, namedOptions, positiveBest } from './reading/choice.ts';
import { correctSpelling, nearWords } from './reading/spelling.ts';
import { readNumbers } from './reading/number.ts';
import { readPosition } from './reading/position.ts';
import { optionsBySynonym } from './reading/synonyms.ts';
import { type Word, wordsOf } from '@dramaturg/compiler/text';
import { excerpt } from './reading/words.ts';
import { readYesNo } from './reading/yes-no.ts';
import type { Option } from './schema.ts';

/**
 * The indexes of the options that an answer may mean: one when it is plain, several when they fit equally, none when no
 * option fits. Tried in this order: its name, its place in the list, its words, near misses, synonyms.
 *
 * @param said the message without its questions back
 */
export function optionsMeant(
  message: string,
  said: string,
  options: readonly Option[],
  field: Field,
): readonly number[] {
  const exact = exactOption(options.map(String), message);
  if (exact !== undefined) return [exact];
  const text = excerpt(said);
  const words = wordsOf(text);
  const names = namesOf(options);
  const { affirmed, negated } = namedOptions(names, words);
  if (affirmed.length > 0) return affirmed;
  if (options.every((option) => typeof option === 'number')) {
    const number = readNumbers(text)[0]?.value;
    return options.flatMap((option, index) => (option === number ? [index] : []));
  }
  const yesNo = optionAgreeing(text, options);
  if (yesNo !== undefined) return [yesNo];
  const place = readPosition(text, options.length);
  if (place !== undefined) return [place];
  const lists = names.map((name) => name.words);
  const found = byWords(lists, words, field) ?? byNearness(lists, text, words, field);
  if (found !== undefined) return found;
  const synonyms = optionsBySynonym(lists, words);
  return synonyms.filter((index) => !negated.includes(index));
}

/** By the words that the text shares with the options. */
function byWords(
  lists: readonly (readonly Word[])[],
  words: readonly Word[],
  field: Field,
): readonly number[] | undefined {
  const aside = new Set(field.words.map(({ stem }) => stem));
  const best = positiveBest(evidenceFor(lists, words, 'stem', aside).map(({ score }) => score));
  if (best.length > 0) return best;
  // A word of the question tells options apart when nothing else was said.
  const any = positiveBest(evidenceFor(lists, words, 'stem').map(({ score }) => score));
  return any.length > 0 ? any : undefined;
}

/** By words that look like misspelt or shortened words of the options. */
function byNearness(
  lists: readonly (readonly Word[])[],
  text: string,
  words: readonly Word[],
  field: Field,
): readonly number[] | undefined {
  const vocabulary = lists.flat();
  const corrected = correctSpelling(text, vocabulary);
  if (corrected !== text) {
    const correctedWords = wordsOf(corrected);
    const { affirmed, negated } = namedOptions(
      lists.map((own) => ({ words: own })),
      correctedWords,
    );
    if (affirmed.length > 0) return affirmed;
    if (negated.length > 0) return [];
    const found = byWords(lists, correctedWords, field);
    if (found !== undefined) return found;
  }
  if (words.length > 3) return undefined;
  const near = new Set(words.flatMap((word) => nearWords(word, vocabulary)));
  if (near.size === 0) return undefined;
  return lists.flatMap((own, index) => (own.some((word) => near.has(word.text)) ? [index] : []));
}

/** If yes and no are options, "yeah" means yes. */
function optionAgreeing(text: string, options: readonly Option[]): number | undefined {
  const placeOf = (name: string) =>
    options.findIndex((option) => String(option).toLowerCase() === name);
  if (placeOf('yes') < 0 || placeOf('no') < 0) return undefined;
  const agreement = readYesNo(text);
  return agreement === undefined ? undefined : placeOf(agreement ? 'yes' : 'no');
}

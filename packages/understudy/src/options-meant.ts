import { type Word, wordsOf } from '@dramaturg/compiler/text';
import type { Field, Option } from './field.ts';
import { namesOf } from './mentioned-values.ts';
import {
  evidenceFor,
  exactOption,
  namedOptions,
  optionsLeft,
  positiveBest,
  readPosition,
} from './reading/choice.ts';
import { distanceBetween, isSlipOf, typosAllowed } from './reading/words.ts';
import { readNumbers } from './reading/number.ts';
import { excerpt, isNegated, isStopWord, readYesNo } from './reading/phrases.ts';

/**
 * The indexes of the options that an answer may mean: one when it is plain, several when they fit equally, none when no option
 * fits. The order of the attempts: the name of an option, its place in the list, its words, near misses, synonyms.
 *
 * @param said the message without the person's own questions
 */
export function optionsMeant(
  message: string,
  said: string,
  options: readonly Option[],
  field: Field,
): readonly number[] {
  const exact = exactOption(options.map(String), message);
  if (exact !== undefined) return [exact];
  const names = namesOf(options);
  const text = correctSpelling(
    excerpt(said),
    names.flatMap((name) => name.words),
  );
  const words = wordsOf(text);
  const left = optionsLeft(names, text);
  if (left) return left;
  const { affirmed, negated } = namedOptions(names, words);
  if (affirmed.length > 0) return affirmed;
  const kept = [...options.keys()].filter((index) => !negated.includes(index));
  if (negated.length > 1 && kept.length === 1) return kept;
  const any = options.findIndex((option) => noPreference.test(String(option).replaceAll('_', ' ')));
  if (any >= 0 && noPreference.test(text.trim())) return [any];
  if (options.every((option) => typeof option === 'number')) {
    const number = readNumbers(text)[0]?.value;
    return options.flatMap((option, index) => (option === number ? [index] : []));
  }
  const yesNo = optionAgreeing(text, options);
  if (yesNo !== undefined) return [yesNo];
  const place = readPosition(text, options.length);
  if (place !== undefined) return [place];
  // "M" is medium, if only one option begins with it.
  const [initial = ''] = words.length === 1 ? words.map((word) => word.text) : [];
  const begun = names.flatMap(({ words: [first] }, index) =>
    initial.length === 1 && first?.text.startsWith(initial) ? [index] : [],
  );
  if (begun.length === 1) return begun;
  const lists = names.map((name) => name.words);
  const found = byWords(lists, words, field) ?? byNearness(lists, words);
  if (found !== undefined) return found;
  const synonyms = optionsBySynonym(lists, words);
  return synonyms.filter((index) => !negated.includes(index));
}

const noPreference =
  /^(?:i )?(?:no preference|(?:any|either)\b|don['’]?t (?:care|mind)|doesn['’]?t matter|what(?:so)?ever|who(?:so)?ever|egal|peu importe|(?:me )?da igual|tanto faz)/iu;

/** Finds options by the words that they share with the text. */
function byWords(
  lists: readonly (readonly Word[])[],
  words: readonly Word[],
  field: Field,
): readonly number[] | undefined {
  const aside = new Set(field.words.map(({ stem }) => stem));
  const best = positiveBest(evidenceFor(lists, words, 'stem', aside).map(({ score }) => score));
  if (best.length > 0) return best;
  // A word of the question distinguishes options only when no other word does.
  const any = positiveBest(evidenceFor(lists, words, 'stem').map(({ score }) => score));
  return any.length > 0 ? any : undefined;
}

/** Finds options by words that look like several words of theirs. */
function byNearness(
  lists: readonly (readonly Word[])[],
  words: readonly Word[],
): readonly number[] | undefined {
  const near = new Set(
    words.length > 3 ? [] : words.flatMap((word) => nearWords(word, lists.flat())),
  );
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

/** The longest text in which words may be misspelt options. In longer texts, such a word is more likely another word. */
const longestText = 12;
const mostVocabulary = 200;
const shortestPrefix = 3;

/**
 * Replaces misspelt and shortened words by the words of the vocabulary that they mean: "tech" becomes "technical". A word that
 * may be two words of the vocabulary does not change.
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
function nearWords(word: Word, known: readonly Word[]): string[] {
  if (word.text.length < shortestPrefix || isStopWord(word)) return [];
  if (known.some(({ text, singular, stem }) => isSame(word, text, singular, stem))) return [];
  const near = known.flatMap(({ text }) => {
    const distance = distanceBetween(word.text, text);
    return distance <= typosAllowed(text) ? [{ text, distance }] : [];
  });
  const best = Math.min(...near.map(({ distance }) => distance));
  const closest = new Set(near.filter(({ distance }) => distance === best).map(({ text }) => text));
  // A word that is equally near to two words means neither, regardless of its first letter.
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

/** Words of everyday speech that mean the same when a choice is offered. */
const groups = `billing bill invoice payment charge charged paid refund money price |
  technical tech technician bug crash error broken malfunction software hardware device wifi internet |
  other else another misc miscellaneous different | general anything overall |
  phone telephone call callback ring mobile cell | email e-mail mail | sms text texting | yearly annual annually year |
  monthly month | weekly week | daily everyday | small little tiny | medium middle mid average | large big huge |
  urgent asap immediately critical emergency | high severe serious | low minor |
  great excellent amazing fantastic wonderful superb awesome | good nice well | okay ok alright fine decent so-so |
  poor bad awful terrible horrible | cheap cheapest basic budget | premium expensive deluxe luxury |
  running run jogging jog | swimming swim pool | cycling bike biking bicycle | walking walk hike hiking |
  strength weights lifting gym | car auto automobile | train rail railway | plane flight fly flying |
  morning mornings breakfast | evening evenings tonight | male man | home house flat apartment | female woman |
  new newcomer | delivery shipping shipment parcel package | login password signin | cancel cancellation terminate |
  cash coins | card visa mastercard credit`;

const groupsOf = new Map<string, Set<number>>();
for (const [index, group] of groups.split(/\s\|\s+/u).entries())
  for (const word of group.split(' '))
    groupsOf.set(word, (groupsOf.get(word) ?? new Set()).add(index));

/** The options with a synonym in the text, without negated ones. */
function optionsBySynonym(options: readonly (readonly Word[])[], text: readonly Word[]): number[] {
  const said = new Set(
    text.flatMap((word, index) => (isNegated(text, index) ? [] : [...groupIdsOf(word)])),
  );
  return options.flatMap((words, index) =>
    words.some((word) => groupIdsOf(word).some((group) => said.has(group))) ? [index] : [],
  );
}

function groupIdsOf({ text, singular, stem }: Word): number[] {
  const exact = groupsOf.get(text) ?? groupsOf.get(singular) ?? groupsOf.get(stem);
  if (exact || text.length < 6) return [...(exact ?? [])];
  return [...groupsOf].flatMap(([word, ids]) => (isSlipOf(text, word) ? [...ids] : []));
}

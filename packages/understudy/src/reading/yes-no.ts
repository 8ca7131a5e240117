import { phrasesOf } from './phrase.ts';
import { excerpt } from './words.ts';

/** Beginnings of clauses that are an answer. The longest matching one decides. */
const openings = openingsOf({
  yes: `yes|yeah|yea|yep|yup|ya|yah|aye|y|sure|of course|certainly|definitely|absolutely|indeed|totally|gladly|true|
    correct|exactly|that's right|that's correct|that is right|that is correct|that's true|that is true|i do|i did|
    we do|we did|i think so|i guess so|i believe so|i hope so|please do|go ahead|let's|sounds good|sounds great|probably|most likely|very likely|i suppose so|i suppose|i'm in|count me in|
    works for me|by all means|no problem|no worries|no doubt|why not|i'd love to|i would love to|i'd like to|
    i would like to|i don't mind|don't mind|with pleasure|👍`,
  no: `no|nope|nah|nay|n|never|not|false|incorrect|wrong|negative|none|that's wrong|that's not|that is not|that isn't|
    of course not|certainly not|probably not|unlikely|most likely not|i suppose not|i guess not|rather not|not quite|definitely not|absolutely not|sure not|true not|i don't|i do not|i didn't|i did not|
    we don't|we do not|we didn't|we did not|i haven't|i have not|i hadn't|i wasn't|i was not|i'm not|i am not|i won't|
    i will not|i can't|i cannot|i couldn't|i wouldn't|i'd rather not|i would rather not|i doubt|it didn't|it did not|
    it isn't|it is not|it's not|it wasn't|it was not|it doesn't|it does not|they didn't|they don't|hardly|
    didn't|did not|don't|do not|haven't|have not|isn't|wasn't|won't|can't|cannot|doesn't|unfortunately not|i'm afraid not|i am afraid not|i don't think so|👎`,
  unknown: `don't know|do not know|don't remember|can't say|can't remember|i don't know|i do not know|i don't remember|i do not remember|i don't recall|i don't understand|
    i do not understand|i'm not sure|i am not sure|not sure|not certain|i can't remember|i cannot remember|
    i can't say|i cannot say|yes and no|yes or no|no and yes|yes no|no yes|true or false|let's see|
    sure about|i'd rather not say|i would rather not say|i'd rather not answer|i would rather not answer|i'd prefer not`,
});

/** Words that agree only on their own: "okay, no" means no, and "I have a question" is not an answer. */
const weakYes = new Set(
  `ok|okay|okey|k|right|alright|all right|fine|great|good|perfect|i have|i am|i will|i can|i was|it is|it was|it did|it does|
  it has|it's fine|they did|they are|we have|we are`
    .split('|')
    .map((phrase) => phrase.trim()),
);

type Polarity = 'yes' | 'no' | 'unknown';

/** Plain words. If one clause is yes and another is no, the text has no answer. */
const plainYes = new Set(['yes', 'yeah', 'yep', 'yup', 'y']);
const plainNo = new Set(['no', 'nope', 'nah', 'n']);

/** Reads yes or no; undefined when the text says neither or both. */
export function readYesNo(text: string): boolean | undefined {
  const phrases = phrasesOf(excerpt(text));
  let answer: Polarity | undefined;
  for (const phrase of phrases) {
    const polarity = polarityOf(phrase);
    answer ??= polarity;
    const opposite = answer === 'yes' ? plainNo : plainYes;
    if (answer !== undefined && opposite.has(phrase)) return undefined;
    if (/^(?:yes|no) but (?:yes|no)\b/u.test(phrase)) return undefined;
  }
  if (answer !== undefined) return answer === 'unknown' ? undefined : answer === 'yes';
  return phrases.some((phrase) => weakYes.has(phrase)) ? true : undefined;
}

function polarityOf(phrase: string): Polarity | undefined {
  const words = phrase.split(' ', longestOpening);
  for (let length = words.length; length > 0; length -= 1) {
    const found = openings.get(words.slice(0, length).join(' '));
    if (found !== undefined) return found;
  }
  return undefined;
}

const longestOpening = 5;

function openingsOf(phrases: Record<Polarity, string>): Map<string, Polarity> {
  return new Map(
    (['yes', 'no', 'unknown'] as const).flatMap((polarity) =>
      phrases[polarity].split('|').map((phrase) => [phrase.trim(), polarity] as const),
    ),
  );
}

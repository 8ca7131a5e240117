import { listed } from './words.ts';
import type { Word } from '@dramaturg/compiler/text';

/** Words before an answer that are not part of it. */
const fillers = listed(
  'lol omg ugh unfortunately sadly luckily thankfully leider malheureusement lamentablemente purtroppo infelizmente well um uhm umm uh hmm hm mm mmm oh ah er so actually honestly haha sorry hey hi hello ach mais pues',
);

/**
 * The clauses of a text as plain phrases: lower case, straight apostrophes, single spaces, no punctuation at the ends and no
 * fillers at the start. They are compared with phrases that people say.
 */
function phrasesOf(text: string): string[] {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/\b(do|does|did|is|was|are|have|has|wo|ca)nt\b/gu, "$1n't")
    .replaceAll(/\b(what|who|where|when|how|that|there)s\b/gu, "$1's")
    .split(/[.,;:!?¡¿\n()]/u)
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

/** The longest refusal. A longer text says something. */
const longestDecline = 80;

/** "none", "n/a": may also be the answer, if the question is whether there is one. */
const nothings =
  listed(`no|nope|nah|none|nothing|nil|n/a|na|not applicable|none at all|not any|nothing at all|nothing really|not really|
  no one|nobody|nothing comes to mind|nothing else|none of them|none of these|neither|no nothing|no none|nope nothing`);

const havingNone =
  /^(?:no )?i (?:do not|don't|dont) have (?:one|any|it|that|an? .{1,30}|any .{1,30})$/u;

const wordsAround =
  /^(?:(?:please|ok|okay|yes|yeah|i think|i guess|i'm afraid|let me|let's|can we|could we|can i|may i|i'd like to|i want to|i would like to|just|then) )*|(?: (?:please|thanks|thank you|now|for now|sorry|then))+$/gu;

/** Patterns of whole refusals. Each is anchored at both ends and has at most one bounded tail. */
const refusals = [
  /^(?:skip|pass|next)(?: (?:question|it|this|that|this one|that one|this question|the question|this step|over it|on this|on that))?$/u,
  /^(?:move|go) on$/u,
  /^(?:no|nope|nah|not),? ?(?:thanks|thank you|now|today)$/u,
  /^(?:no )?i(?:'d| would) (?:rather|prefer) not(?: .{0,40})?$/u,
  /^(?:no )?i(?:'d)? prefer not(?: to)?(?: .{0,40})?$/u,
  /^(?:rather|prefer|better) not(?: to)?(?: (?:say|tell|answer|share))?$/u,
  /^(?:no )?(?:i )?(?:do not|don't|dont) (?:want|wish|like|care) to(?: (?:say|tell|answer|share|give|talk).{0,40})?$/u,
  /^(?:no )?(?:i )?(?:do not|don't|dont) (?:know|remember|recall)(?: .{0,12})?$/u,
  /^(?:no )?(?:i )?(?:can't|cannot|can not) (?:remember|recall|say|tell|answer)(?: .{0,12})?$/u,
  /^(?:i forgot|i have no idea|no idea|no clue|not sure|i'm not sure|i am not sure|dunno|idk|no comment|who knows)$/u,
  /^(?:i'm not telling(?: you)?|that's private|it's private|none of your business|that's none of your business)$/u,
  /^(?:no |it )?(?:doesn't|does not) matter$|^(?:i )?(?:do not|don't|dont) care$|^(?:whatever|up to you|you decide|no preference|egal|peu importe|da igual|fa lo stesso|tanto faz)$/u,
  /^(?:sorry )?i (?:do not|don't|dont|haven't|havent) (?:have|got) (?:it|that|one|them) (?:on me|with me|handy|at hand|to hand|in front of me|right now|rn|atm)\b.{0,20}$/u,
  /^(?:(?:ich )?wei(?:ß|ss) (?:ich |es )?nicht|keine ahnung|je (?:ne )?sais pas|no (?:lo )?s[eé]|non (?:lo )?so|n[aã]o sei)$/u,
];

/** The way of declining: a word for nothing, or a refusal to answer. */
export type Decline = 'nothing' | 'refusal';

/** Reads how the person declines, if the whole text does. */
export function readDecline(text: string): Decline | undefined {
  if (text.length > longestDecline) return undefined;
  const whole = phraseOf(text);
  const bare = whole.replace(wordsAround, '');
  // "No thanks" refuses, though "no" alone may be the answer.
  if (refuses(whole)) return 'refusal';
  if (nothings.has(bare) || havingNone.test(bare)) return 'nothing';
  return refuses(bare) ? 'refusal' : undefined;
}

/** "Same as last time", "you have it", "I'll send it later": the value is elsewhere. */
const elsewhere =
  /^(?:(?:the )?same|(?:as|like) (?:before|last time|always|usual)|(?:you|u) (?:already |should |must )*(?:have|know|got)|i(?:'ll| will| can) (?:send|give|tell|bring|look|check|get|text|email|ask)|i(?:'ve| have)? (?:already )?(?:gave|told|sent|given)|(?:can|may|could) i (?:send|give|tell|bring|check))\b.{0,60}$/u;

/** Whether the text only says where the value is, or when it will come. */
export function isReference(text: string): boolean {
  return (
    text.length < 80 &&
    !/[\d@]/u.test(text) &&
    elsewhere.test(phraseOf(text).replace(wordsAround, ''))
  );
}

function refuses(phrase: string): boolean {
  return refusals.some((refusal) => refusal.test(phrase));
}

const greetingWords = listed(
  'hi hello hey hiya howdy greetings hallo good morning afternoon evening day there all everyone again to you',
);

/** Whether the text is only a greeting. */
export function isGreeting(text: string): boolean {
  if (text.length > 60) return false;
  const words = text
    .toLowerCase()
    .split(/[\s,.!]+/u)
    .filter((word) => word !== '');
  const greets =
    /^(?:hi|hello|hey|hiya|howdy|greetings|hallo|good (?:morning|afternoon|evening|day))\b/u.test(
      words.join(' '),
    );
  return greets && words.every((word) => greetingWords.has(word));
}

const greeting =
  /^(?:hi|hello|hey|hiya|howdy|greetings|hallo|good (?:morning|afternoon|evening|day))(?: (?:there|again|all|everyone))?\s?[,.!]\s*(?=\S)/iu;

/** Removes a greeting that ends with punctuation, so that "Hello Kitty" stays whole. */
export function withoutGreeting(text: string): string {
  return text.replace(greeting, '');
}

const someone =
  '(?:(?:an? |the |your |some )?(?:(?:real|actual|live) )?(?:human(?: being)?|person|agent|operator|representative|rep|manager|supervisor|colleague|employee|advisor|adviser|somebody|someone)(?: (?:real|else|human|from (?:your |the )?(?:team|staff|support)))?)';

const wishes = [
  new RegExp(
    `\\b(?:speak|talk|chat|connect(?: me)?|transfer(?: me)?|put me through|pass me(?: on)?|get me|give me|escalate(?: this)?|hand me over)(?: (?:to|with))? ${someone}(?: please| now)*$`,
    'u',
  ),
  new RegExp(`^(?:i )?(?:want|need|would like|'d like|prefer) ${someone}(?: please| now)*$`, 'u'),
  new RegExp(`^i'd (?:like|prefer) ${someone}(?: please| now)*$`, 'u'),
  new RegExp(`^(?:please )?${someone}(?: please| now)*$`, 'u'),
  /^(?:customer|live) (?:service|support|agent|person)(?: please)?$/u,
];

/** Whether the text asks to talk to a person instead of a program. */
export function wantsHuman(text: string): boolean {
  if (text.length > 200) return false;
  return phrasesOf(text).some((phrase) => wishes.some((wish) => wish.test(phrase)));
}

const skipping =
  /^(?:skip|pass|leave (?:it|this|that)(?: one)? out|leave (?:it|this|that)|next question)(?: (?:question|it|this|that|this one|that one|this question|the question|this step|this part|over it|over this|on this|on that))?$/u;

/** Whether the text only asks to skip the question. */
export function wantsToSkip(text: string): boolean {
  return text.length <= 80 && skipping.test(phraseOf(text).replace(wordsAround, ''));
}

/** Where the parts of a message begin, after the first one. */
export function partStarts(text: string): number[] {
  const joints = excerpt(text).matchAll(
    /(?:[,;/]|(?<=[.!?…])|\s[-–—/])\s+|\n|\s[(<]|\s(?=(?:with|and|n|&|und|et|y|e)\s)/gu,
  );
  return [...joints].slice(0, mostParts).map(({ 0: joint, index }) => index + joint.length);
}

const mostParts = 20;

/** The sentences of a text, each with its white space, so that the remaining ones can be joined again. */
function sentencesOf(text: string): string[] {
  return excerpt(text).split(/(?<=[.!?])(?=\s)|(?<=\n)/u);
}

/** Questions about the question itself: never an answer. */
const aboutAsking =
  /^(?:(?:but|and|ok|okay) )?(?:why (?:do|would|are|should|did) (?:you|i|we)\b|why$|what do you mean|what does that mean|what for$|what$|pardon$|sorry$|huh$|come again|(?:can|could) you (?:repeat|explain|rephrase)|what was the question|i (?:don't|do not) understand(?: the question)?$)/u;

/** A question to the agent, not one that offers an answer ("billing?") or asks for help. */
const interrogative =
  /^(?:(?:but|and|so|ok|okay|well) )?(?:why(?! not$)|what|what's|who|who's|how's|where's|when's|whom|whose|how|when|where|which|do you|are you|did you|will you|is this|is that|is it|does this|does it|must i|do i|should i|have i|and you$)\b/u;

/** Whether the text only asks back. If questions are welcome as answers, only questions about the question count. */
export function isQuestionBack(text: string, questionsWelcome = false): boolean {
  return text.trim() !== '' && answeringPart(text, questionsWelcome).trim() === '';
}

/** Whether the text asks about the question: "why?", "what do you mean?" */
export function asksAboutAsking(text: string): boolean {
  return aboutAsking.test(phraseOf(text.slice(0, 200)));
}

/** Removes the sentences that ask something back. */
export function answeringPart(text: string, questionsWelcome = false): string {
  const sentences = sentencesOf(text);
  const answering = sentences.filter((sentence) => !asks(sentence, questionsWelcome));
  if (answering.length === sentences.length) return text;
  return answering.join('') + text.slice(excerpt(text).length);
}

function asks(sentence: string, questionsWelcome: boolean): boolean {
  const phrase = phraseOf(sentence.slice(0, 200));
  if (phrase === '') return sentence.trimEnd().endsWith('?');
  if (aboutAsking.test(phrase)) return true;
  return !questionsWelcome && sentence.trimEnd().endsWith('?') && interrogative.test(phrase);
}

// cspell:disable
/** Beginnings of clauses that are an answer. The longest matching one decides. */
const openings = openingsOf({
  yes: `yes|yeah|yeh|yea|yep|yup|ya|yah|aye|y|sure|of course|certainly|definitely|absolutely|indeed|totally|gladly|true|
    correct|exactly|that's right|that's correct|that is right|that is correct|that's true|that is true|i do|i did|
    we do|we did|i think so|i guess so|i believe so|i hope so|please do|go ahead|let's|sounds good|sounds great|probably|most likely|very likely|i suppose so|i suppose|i'm in|count me in|fine by me|fine with me|okay by me|
    works for me|by all means|no problem|no worries|no doubt|why not|i'd love to|i would love to|i'd like to|
    i would like to|i don't mind|don't mind|with pleasure|👍|ja|jawohl|genau|klar|na klar|natürlich|stimmt|gerne|oui|ouais|
    bien sûr|d'accord|si|sí|claro|por supuesto|sì|certo|va bene|d'accordo|com certeza`,
  no: `no|nope|nah|nay|n|never|not|false|incorrect|wrong|negative|none|that's wrong|unlikely|i suppose not|i guess not|
    rather not|i'd rather not|i would rather not|better not|i'd rather you didn't|please don't|please do not|no need|i doubt|
    hardly|unfortunately not|i'm afraid not|i am afraid not|i don't think so|👎|nein|nö|nee|lieber nicht|natürlich nicht|
    stimmt nicht|non|pas vraiment|bien sûr que non|claro que no|claro que não|por supuesto que no|certo che no|não|nao`,
  unknown: `don't know|do not know|don't remember|can't say|can't remember|i don't know|i do not know|i don't remember|i do not remember|i don't recall|i don't understand|
    i do not understand|i'm not sure|i am not sure|not sure|not certain|i can't remember|i cannot remember|
    i can't say|i cannot say|true or false|let's see|no sé|no lo sé|non so|non lo so|não sei|
    sure about|i'd rather not say|i would rather not say|i'd rather not answer|i would rather not answer|i'd prefer not`,
});

// cspell:enable

/** Words that agree only on their own: "okay, no" means no, and "I have a question" is not an answer. */
const weakYes =
  listed(`ok|okay|okey|k|right|alright|all right|fine|great|good|perfect|i have|i am|i will|i can|i was|it is|it was|it did|it does|
  it has|it's fine|they did|they are|we have|we are|sim|vale`);

type Polarity = 'yes' | 'no' | 'unknown';

/** Plain words. If one of them means yes and another one no, the text has no answer. */
const plain = listed('yes yeah yep yup y no nope nah n ja oui sí sì si sim nein non não');

/** Reads yes or no; undefined when the text says neither or both. */
export function readYesNo(text: string): boolean | undefined {
  const phrases = phrasesOf(excerpt(text));
  let answer: Polarity | undefined;
  for (const [index, phrase] of phrases.entries()) {
    // "One baby so yes", "preciso sim".
    const [end = ''] = /(?<!\bsay )\b\S{1,4}$/u.exec(phrase) ?? [];
    // "Twice, didn't help" does not mean no.
    const isTold =
      index > 0 &&
      /^(?:\w+ )?(?:do|does|did)(?:n't| not) \w/u.test(phrase) &&
      !/ think so/u.test(phrase);
    const polarity =
      (isTold ? undefined : polarityOf(phrase)) ?? (plain.has(end) ? polarityOf(end) : undefined);
    answer ??= polarity;
    if (plain.has(phrase) && polarity !== answer) return undefined;
    // "Yes and no", "yeah no": but "yeah no problem" means yes.
    const [first = '', ...rest] = phrase.split(/ (?:(?:and|or|but) )?/u);
    const isTwofold = plain.has(first) && plain.has(rest[0] ?? '');
    if (isTwofold && polarityOf(rest.join(' ')) !== polarity) return undefined;
  }
  if (answer !== undefined) return answer === 'unknown' ? undefined : answer === 'yes';
  return phrases.some((phrase) => weakYes.has(phrase)) ? true : undefined;
}

function polarityOf(phrase: string): Polarity | undefined {
  const words = phrase.split(' ', longestOpening);
  for (let length = words.length; length > 0; length -= 1) {
    const found = openings.get(words.slice(0, length).join(' '));
    // "Of course not" means no.
    if (found !== undefined) return found === 'yes' && words[length] === 'not' ? 'no' : found;
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

/** How many characters of a message are searched. A longer message is still kept whole as a free-text answer. */
const evidenceLength = 5_000;

/** The part of a message that is searched. */
export function excerpt(text: string): string {
  return text.slice(0, evidenceLength);
}

const stopWords =
  listed(`a an after and any are as at be been before being but by can could did do does for from had has have he her his how i if in into
  is it its me my no not of off on or our she so some than that the their them then there these they this those to too
  us want wants was we were what when where which who whose why will with would you your yes please user users customer customers
  over about around during until participant participants person people someone whether e.g eg etc i'm it's
  der die das den dem ein eine und ist sind war hat haben sie ihr ihre wie was wann wo in im am mit von zu für le la les un une des et est sont vous votre avez
  que quel quelle combien el los las es son su usted tiene cuál cuántos cuántas qué il lo gli è sono ha suo sua che quanti quante o os as é são tem seu sua
  qual quantos quantas`);

/** Whether a word says nothing about the subject of a sentence. */
export function isStopWord(word: Word): boolean {
  return stopWords.has(word.text) || stopWords.has(word.singular);
}

const negators = listed(
  'not no never nobody noone nicht kein keine keinen pas jamais nunca nada nadie nessuno não nunca ninguém sans ohne sin senza sem without except nor neither unlike cannot dont doesnt didnt isnt arent wasnt wont cant',
);

/** How many words a negation affects: "not a billing problem" and "I do not want any billing" negate billing. */
const negationReach = 3;

/** Whether a negation is shortly before the word, in the same clause. */
export function isNegated(words: readonly Word[], index: number): boolean {
  const word = words[index];
  if (/^n?or$/u.test(words[index - 1]?.text ?? '')) return isNegated(words, index - 2);
  for (let at = index - 1; at >= Math.max(0, index - negationReach); at -= 1) {
    const before = words[at];
    if (before === undefined || before.clause !== word?.clause) return false;
    if (negators.has(before.text) || before.text.endsWith("n't")) return true;
    const pair = `${words[at - 1]?.text ?? ''} ${before.text}`;
    if (pair === 'rather than' || pair === 'instead of') return true;
  }
  return false;
}

import { wordsOf, type Word } from '@dramaturg/compiler/text';
import { cues } from './correction.ts';
import { excerpt, isStopWord } from './phrases.ts';

/**
 * What a clause does with the values in it, from the weakest: it rejects them, tells what was or what others say, tells them, or
 * settles on them.
 */
type Stance = 'rejected' | 'aside' | 'said' | 'settled';

export interface Clause {
  readonly text: string;
  /** Where the clause begins in the text. */
  readonly start: number;
  readonly stance: Stance;
  /** Whether words such as "no wait" announce it as a correction. */
  readonly corrects: boolean;
  /** Whether its sentence is a condition: "if it rains, then Saturday". */
  readonly depends: boolean;
}

const clauseEnd =
  /(?:[,;]|(?<=[.!?…]))\s+|\s[-–—/]+\s+|\n|\s(?=\()|(?<!(?:can|could|to|not|please|n['’]t))\s(?=(?:but|so|then|because|otherwise|else|though|although|unless|if|or (?:no|wait|rather|better)|no wait|no sorry|wait|sorry|actually|make it|aber|mais|pero|sondern|sino)(?![\p{L}]))|\s(?=(?:and|or) (?:i|we|it|he|she|they|my|not|no|hate|sorry|then|can)\s)/giu;

const mostClauses = 40;

/** The clauses of a text with their stances. */
export function clausesOf(said: string): Clause[] {
  const text = excerpt(said);
  const ends = [...text.matchAll(clauseEnd)].slice(0, mostClauses);
  const starts = [0, ...ends.map(({ 0: joint, index }) => index + joint.length)];
  const clauses = starts.map((start, index) => ({
    start,
    text: text.slice(start, starts[index + 1]),
  }));
  let announced = false;
  const conditions = conditionalClauses(clauses.map((each) => each.text));
  return clauses.map((clause, index) => {
    const words = clause.text.trim();
    const stance = announced && !rejecting.test(words) ? 'settled' : stanceOf(words);
    const corrects = announced || correctingStart.test(words);
    announced = onlyMarker(words) || (announced && words === '');
    return { ...clause, stance, corrects, depends: conditions.has(index) };
  });
}

/** The clauses of each sentence with a condition, without those that are only polite: "if possible". */
function conditionalClauses(clauses: readonly string[]): Set<number> {
  const found = new Set<number>();
  let first = 0;
  let isCondition = false;
  for (const [index, clause] of clauses.entries()) {
    isCondition ||= condition.test(clause) && !courtesy.test(clause);
    const isEnd = /[.!?…]\s*$/u.test(clause) || index === clauses.length - 1;
    if (isEnd && isCondition) for (let at = first; at <= index; at += 1) found.add(at);
    if (isEnd) [first, isCondition] = [index + 1, false];
  }
  return found;
}

const condition =
  /(?<!\p{L})(?:if|unless|otherwise|else|depend(?:s|ing)|whether|provided|in case|falls|sinon|sonst)(?!\p{L})/iu;
const courtesy =
  /(?<!\p{L})if (?:(?:that|it|this)(?:['’]?s| is| works| suits)?|you|i|we|at all)? ?(?:not too|possible|ok|okay|fine|alright|all right|convenient|available|free|needed|necessary|may|can|could|have|like|want|don['’]?t mind|please|must|works?|remember|recall|understand)?(?!\p{L})(?:.{0,20})$/iu;

function stanceOf(clause: string): Stance {
  if (rejecting.test(clause)) return 'rejected';
  if (settling.test(clause)) return 'settled';
  return aside.test(clause) || clause.endsWith('?') ? 'aside' : 'said';
}

const onlyMarker = (clause: string) =>
  /\p{L}/u.test(clause) &&
  !/\p{L}/u.test(clause.replace(/^\W*(?:(?:and|but|or|well|hm+),? )*/iu, '').replace(cues, ''));
const correctingStart =
  /^(?:(?:and|but|or|oh|no),? )*(?:actually|wait|sorry|oops|i mean|i meant|scratch that|correction|make (?:it|that))(?!\p{L})/iu;

/** A negation close before the end, or a bad word about the value. */
const rejecting =
  /(?<!\p{L})(?:not|n['’]t|\p{L}{2,6}n['’]t|cannot|never|without|except|nicht|keine?n?|sauf|pas|sin|senza)(?! (?:sure|certain|bad|long|before|after|until|later|earlier|more|less|over|under|really|know|too|at all|yet|wait|sorry)(?!\p{L})) (?:\S+ ){0,2}\S+\W*$|(?<!\p{L})(?:hate|dislike|can['’]?t stand|instead of|rather than|does(?:n['’]t| not) work)(?!\p{L})/iu;

const settling =
  /^(?:(?:and|but|or|well|oh|hm+|ok(?:ay)?|no|yes),? )*(?:so|then|make (?:it|that)|i['’]ll (?:go|take|have|say|do|pay)|let['’]?s|better|rather|actually|sorry|no|wait|oops|i mean|i meant|honestly|put|definitely|instead|correction|scratch|today|now|in total)(?!\p{L})|(?<!\p{L})(?:now|today|currently|instead|after all|in total|altogether|more like|honestly|officially|this time|overall|finally|prefer|(?:i['’]?d|would) (?:rather|prefer|go)|would do)(?!\p{L})/iu;

const aside =
  /(?<!\p{L})(?:says?|said|thinks|thought|told|would say|wanted|suggested|quoted|estimated|was|were|used to|had|last time|before|originally|previously|at first|first|until|old|already|still (?:works?|fine|ok(?:ay)?)|usually|normally|n['’]t|too \p{L}+|(?:is|are|['’]s) (?:bad|wrong|taken|full))(?!\p{L})|(?<!\p{L})(?:my|his|her) (?:\p{L}+['’]s )?(?:wife|husband|girlfriend|boyfriend|partner|mother|father|mum|mom|dad|sister|brother|son|daughter|friend|boss|neighbou?r)(?:['’]s| is| has)(?!\p{L})/iu;

/**
 * Yes or no in an answer that says neither: by a word of the question ("nobody was injured"), or by how the answer sounds. What is good
 * denies a question about harm.
 */
export function leaning(said: string, asked: readonly Word[]): boolean | undefined {
  const isHarm = asked.some(({ text }) => harm.test(text));
  for (const { text, depends } of clausesOf(said).slice(0, 4)) {
    if (depends || unsure.test(text)) return undefined;
    const words = wordsOf(text);
    if (words.length > longestLeaning) continue;
    const isNegative = negative.test(text);
    const isAbout = isAmong(words, asked);
    if (isAbout || (isHarm && harm.test(text))) return !isNegative;
    if (isNegative) return false;
    if (agreeing.test(text)) return !isHarm;
  }
  return undefined;
}

const longestLeaning = 12;
const unsure =
  /\?|(?<!\p{L})(?:yes|yeah|yep|ja|oui|skip|if|whether|maybe|perhaps|might|possibly|depends?|decide|idea|sure|certain|know|think about|ask)(?!\p{L})/iu;
const harm =
  /^(?:damage|fever|pain|allergy|problem|trouble)|(?<!\p{L})(?:injur|hurt|wound|bruis|broke|bleed|hospital|sprain|concussion)/iu;
const negative =
  /n['’]t(?!\p{L})|(?<!\p{L})(?:no|not|never|nobody|none|neither|without|can wait|rather|nicht|kein\p{L}*|pas|jamais|nunca|nessun\p{L}*|nenhum\p{L}*)(?!\p{L})/iu;
const agreeing =
  /(?<!\p{L})(?:fine|ok|okay|good|great|lovely|nice|perfect|love|happy|please|welcome|possible|absolutely|once|twice|always|already|safe|unharmed)(?!\p{L})/iu;

/** Whether a text has a word of the other list. */
export function isAmong(said: readonly Word[], asked: readonly Word[]): boolean {
  return said.some(
    (word) => !isStopWord(word) && asked.some(({ stem }) => isAlike(word.stem, stem)),
  );
}

/** Whether two words begin alike: "married" and "marry". */
export function isAlike(said: string, own: string): boolean {
  const shared = Math.max(4, Math.min(5, said.length - 1, own.length - 1));
  return said === own || (own.length >= shared && said.slice(0, shared) === own.slice(0, shared));
}

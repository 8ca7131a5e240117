import { listed } from '../reading/words.ts';
const auxiliaries = listed(
  "are is was were have has had do does did can could will would should may might must aren't haven't don't",
);

/** Turns an indirect question to the person ("whether you agree", "for your order number") into a direct one. */
export function questionFrom(indirect: string): string {
  const about = indirect.trim().replace(/[\s.:;,!?]{1,9}$/u, '');
  const yesNo = /^(?:if|whether)(?: or not)? (.+)$/iu.exec(about)?.[1];
  if (yesNo !== undefined)
    return `${capitalised(inverted(yesNo) ?? `Please tell me whether ${yesNo}`)}${markFor(yesNo)}`;
  const open =
    /^(what|when|where|why|who|which|how(?: (?:many|much|often|long|far|old))?)\b(.*)$/iu.exec(
      about,
    );
  if (open) return openQuestion(about);
  const noun = about.replace(/^(?:for|about|after|you for|you about|you) /iu, '');
  if (/^(?:to|that) /iu.test(noun))
    return `Please ${lowered(noun.replace(/^(?:to|that) /iu, ''))}.`;
  if (/^your /iu.test(noun) && !/\b(?:and|or)\b|,/iu.test(noun) && noun.length < 60)
    return `What ${isPlural(noun) ? 'are' : 'is'} ${lowered(noun)}?`;
  return `Please tell me about ${lowered(noun)}.`;
}

/** "you would like tea": "would you like tea"; "you agree": "do you agree". */
function inverted(clause: string): string | undefined {
  const [, subject = '', verb = '', rest = ''] =
    /^(you|I|we|there|it|this|that|everything|anything|something|all|(?:the|your|my) [a-z]+) (\S+)(.*)$/u.exec(
      clause,
    ) ?? [];
  if (subject === '') return undefined;
  if (auxiliaries.has(verb.toLowerCase())) return `${verb} ${subject}${rest}`;
  const isPresent =
    subject === 'you' &&
    /^[a-z]+$/u.test(verb) &&
    !/(?:[^e]ed|ly|ing|s)$/u.test(verb) &&
    !past.has(verb);
  return isPresent ? `do you ${verb}${rest}` : undefined;
}

const past = listed(
  'got had went saw made took came bought thought felt said told left lost kept found knew gave paid slept ate drank ran tried',
);

function markFor(clause: string): string {
  return inverted(clause) === undefined ? '.' : '?';
}

/** "what happened" is a question already; "how you would like to be called" needs inversion. */
function openQuestion(about: string): string {
  const [, word = '', rest = ''] =
    /^(what(?: kind of \w+| type of \w+| time)?|when|where|why|who|which(?: \w+)?|how(?: (?:many|much|often|long|far|old)(?: \w+)?)?) (.+)$/iu.exec(
      about,
    ) ?? [];
  const turned = word === '' ? undefined : inverted(rest);
  if (turned !== undefined) return `${capitalised(word)} ${turned}?`;
  const asIs =
    /^(?:what|who|which \w+) (?:is|are|was|were|happens|happened|went|goes|can|could|would|will|has|have)\b/iu.test(
      about,
    );
  const hasVerbFirst =
    /^(?:how|when|where|why) (?:is|are|was|were|do|does|did|can|could|will|would|should) /iu.test(
      about,
    );
  return asIs || hasVerbFirst ? `${capitalised(about)}?` : `Please tell me ${lowered(about)}.`;
}

function isPlural(noun: string): boolean {
  return /[^s]s$/iu.test(noun) && !/(?:address|status|basis|news|business|us)$/iu.test(noun);
}

function lowered(text: string): string {
  return /^(?:I\b|[A-Z]{2})/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}

/** Nouns that authors use for the person in a conversation. */
const roles =
  'customer|user|client|caller|person|participant|patient|guest|visitor|contact|player|student|member|applicant|candidate|employee|buyer|traveller|traveler|newcomer|respondent|subscriber|shopper|learner|interviewee';

const possessive = new RegExp(
  `\\b(?:(?:the|their) )?(?:${roles})['’]s\\b|\\bthe(?:ir)? (?:${roles})s['’]`,
  'giu',
);
const person = new RegExp(
  `\\b(?:the|this|that|your|a) (?:${roles})s?\\b|\\b(?:them|they|him|he|she)\\b`,
  'giu',
);

/** "Whether customer accepts", without an article. */
const afterQuestionWord = new RegExp(
  `\\b((?:whether|if|what|when|where|why|which|how(?: (?!the\\b)\\w+)?) )(?:${roles})s?\\b(?!['’])`,
  'giu',
);

const afterYou =
  /\b(you (?:(?:currently|usually|often|really|also|already|still|now|first|just) )?)([\w']{1,30})\b/gu;

/** After "you", verbs of the third person have another form. */
const verbs: Readonly<Record<string, string>> = {
  is: 'are',
  has: 'have',
  was: 'were',
  does: 'do',
  "isn't": "aren't",
  "hasn't": "haven't",
  "doesn't": "don't",
  "wasn't": "weren't",
  goes: 'go',
};

/**
 * Turns an author's words to the agent into the agent's words to the person: "the customer's name" becomes "your name", and
 * "you", the agent, becomes "I".
 */
export function spokenToPerson(text: string): string {
  return addressed(
    text
      .replaceAll('’', "'")
      .replaceAll(/\byourself\b/giu, 'myself')
      .replaceAll(/\byou are\b/giu, 'I am')
      .replaceAll(/\byou're\b/giu, "I'm")
      .replaceAll(/\byour (?!customer|user|client|caller|guest|patient)/giu, 'my ')
      .replaceAll(/\b(?<!thank )you\b/giu, 'I'),
  );
}

/** An author's words about the person as words to the person: "the user's age" is "your age". */
export function addressed(text: string): string {
  const spoken = text
    .replaceAll('’', "'")
    .replaceAll(possessive, 'your')
    .replaceAll(afterQuestionWord, '$1you')
    .replaceAll(person, 'you')
    .replaceAll(/\b(?:their|his|her)\b/giu, 'your')
    .replaceAll(/\btheirs\b/giu, 'yours')
    .replaceAll(/\bthemselves\b|\bthemself\b|\bhimself\b|\bherself\b/giu, 'yourself');
  return spoken.replaceAll(afterYou, (whole, you: string, verb: string) => {
    const form = Object.hasOwn(verbs, verb) ? verbs[verb] : secondPerson(verb);
    return form === undefined ? whole : `${you}${form}`;
  });
}

/** "wants", "tries", "watches": want, try, watch. Other words that end in "s" do not change. */
function secondPerson(verb: string): string | undefined {
  if (!/^[a-z]{3,}s$/u.test(verb) || /(?:ss|us|is|'s|ays)$/u.test(verb)) {
    return /^(?:pays|says|stays|plays)$/u.test(verb) ? verb.slice(0, -1) : undefined;
  }
  if (/^(?:always|sometimes|perhaps|towards|besides|this|as|its)$/u.test(verb)) return undefined;
  if (verb.endsWith('ies')) return `${verb.slice(0, -3)}y`;
  return /(?:ss|sh|ch|x|z)es$/u.test(verb) ? verb.slice(0, -2) : verb.slice(0, -1);
}

/** Capitalises the first letter. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

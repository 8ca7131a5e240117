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

const people =
  'customer|user|client|caller|person|participant|patient|guest|visitor|contact|player|student|member|applicant|candidate';

const aboutPerson = new RegExp(
  `^(?:if |when |because )?(?:the |a )?(?:${people})s? (?:(?:explicitly|clearly|has already|already) )?(\\S+)(.*)$`,
  'isu',
);

const verbs: Readonly<Record<string, string>> = {
  is: 'am',
  has: 'have',
  does: 'do',
  goes: 'go',
  was: 'was',
};

/** An option in the words of the person that it is about: "The client wants to stop" is "I want to stop". */
export function inFirstPerson(given: string): string {
  const description = given
    .replace(/\s*Leads to "[^"]*"\.?/u, '')
    .trim()
    .replace(/\.$/, '');
  const [, verb, rest = ''] = aboutPerson.exec(description) ?? [];
  if (verb === undefined) return description;
  const said = Object.hasOwn(verbs, verb) ? verbs[verb]! : withoutEnding(verb);
  // "Client ready to proceed"
  const isVerb = Object.hasOwn(verbs, verb) || /(?:s|ed|'t)$/u.test(verb);
  return `I ${isVerb ? '' : 'am '}${said}${rest}`
    .replaceAll(/\btheir\b/gu, 'my')
    .replace(/\.$/, '');
}

function withoutEnding(verb: string): string {
  if (!/[a-z]{2}s$/u.test(verb) || verb.endsWith('ss')) return verb;
  if (verb.endsWith('ies')) return `${verb.slice(0, -3)}y`;
  return /(?:sh|ch|x|z|ss)es$/u.test(verb) ? verb.slice(0, -2) : verb.slice(0, -1);
}

import { capitalised } from './perspective.ts';

const auxiliaries = new Set(
  "are is was were have has had do does did can could will would should may might must aren't haven't don't".split(
    ' ',
  ),
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

const past = new Set(
  'got had went saw made took came bought thought felt said told left lost kept found knew gave paid slept ate drank ran tried'.split(
    ' ',
  ),
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

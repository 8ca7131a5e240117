import { listed } from '../reading/words.ts';
import type { Json, PortInput } from '@dramaturg/compiler';
import { wordsOfName } from '@dramaturg/compiler/text';
import { capitalised, questionFrom, spokenToPerson } from './asking.ts';

type Known = PortInput<'reply'>['known'];

/** A direction as sentences to the person. */
export interface Rendered {
  /** Empty when no part of the direction can be said. */
  readonly text: string;
  /** Whether it asks for something, so that only an answer completes it. */
  readonly asks: boolean;
  /** Whether it says goodbye, so that no answer is expected. */
  readonly closes: boolean;
  /** The text without its question, if it opens a conversation: another question may replace its own. */
  readonly opening?: string;
}

type Line = { readonly text: string; readonly is?: 'question' | 'closing' | 'greeting' };

/** Limits of one message. Longer directions are cut. */
const longestDirection = 1_500;
const mostClauses = 12;
const longestClause = 240;

/**
 * Turns an author's direction to the agent into sentences to the person. Each clause is rendered by its verb: a greeting greets,
 * a question asks, a summary lists known values. Clauses about manner and clauses without a rendering are left out.
 *
 * @param ends nobody can answer any more: nothing is asked, and what is to be confirmed is summed up
 */
export function renderDirection(direction: string, known: Known, ends = false): Rendered {
  const lines = clausesOf(direction)
    .flatMap((clause) => lineFor(clause, { known, ends }))
    .filter(({ is }) => !(ends && is === 'question'))
    .filter(({ text }) => text.length <= longestClause && !/_|\{\{|\w\.\w+\(/u.test(text));
  const unique = [...new Map(lines.map((line) => [line.text, line])).values()];
  // The goodbye comes last, wherever the author names it.
  const last = unique.filter(({ text }) => text === goodbye);
  const rest = unique.filter(({ text }) => text !== goodbye);
  return {
    text: joined([...rest, ...last]),
    asks: unique.some(({ is }) => is === 'question'),
    closes: unique.some(({ is }) => is === 'closing'),
    ...(unique.some(({ is }) => is === 'greeting')
      ? { opening: joined(rest.filter(({ is }) => is !== 'question')) }
      : {}),
  };
}

function joined(lines: readonly Line[]): string {
  return lines.map(({ text }) => text).join(' ');
}

const goodbye = 'Goodbye!';

const verbs =
  'ask|greet|welcome|say|tell|inform|explain|describe|introduce|thank|wish|apologi[sz]e|congratulate|celebrate|praise|check|confirm|verify|clarify|find out|determine|learn|identify|understand|collect|gather|get|obtain|request|demand|assess|explore|discuss|talk|chat|invite|encourage|offer|sum up|summari[sz]e|recap|review|repeat|restate|go over|close|end|finish|conclude|wrap up|bid|provide|give|share|present|show|express|acknowledge|empathi[sz]e|reassure|remind|let|mention|state|announce|inquire|enquire|see|steer|redirect|bring|read back|probe|point out';

const nextVerb = new RegExp(
  `(?:,\\s+(?:and\\s+)?(?:then\\s+)?|\\s+and\\s+(?:then\\s+|also\\s+)?|\\s+then\\s+)(?=(?:warmly |briefly |politely |kindly |finally )?(?:${verbs})\\b)`,
  'iu',
);

/** Splits a direction into sentences, and sentences before each "and" that a verb follows. */
function clausesOf(direction: string): string[] {
  const text = direction.slice(0, longestDirection);
  return text
    .split(/(?<=[.!?])\s+|[;\n]+|\s[-–—]\s/u)
    .flatMap((sentence) => (/["“]/u.test(sentence) ? [sentence] : sentence.split(nextVerb)))
    .map((clause) => clause.trim().replace(/[\s.!:,]{1,9}$/u, ''))
    .filter((clause) => clause !== '')
    .slice(0, mostClauses);
}

const manner =
  /^(?:(?:please|now|then|next|first|finally|lastly|also|just|always|briefly|warmly|politely|kindly|gently|clearly|simply|naturally|the agent (?:should|must|will)|you (?:should|must|will|need to|have to|can)|start by|begin by|try to|make sure to|be sure to)[,:]?\s+){1,4}/iu;

const person =
  '(?:the |this |your |our |any )?(?:customer|user|client|caller|person|participant|patient|guest|visitor|contact|player|student|member|applicant|candidate|newcomer|stranger)s?|them|him|her|everyone';
const object = new RegExp(
  `^(?:to |with |from )?(?:${person})\\b(?:['’]s)?(?: (?:by name|again|politely|warmly|briefly))?\\s*`,
  'iu',
);

function lineFor(clause: string, facts: Omit<Clause, 'rest' | 'whole'>): Line[] {
  const quoted = /["“]([^"”]{2,200})["”]/u.exec(clause)?.[1];
  const bare = clause
    .replace(manner, '')
    .replace(/^(?:asking|greeting|thanking|welcoming)\b/iu, (word) => word.slice(0, -3));
  for (const [pattern, render] of kinds) {
    const match = pattern.exec(bare);
    if (match === null) continue;
    if (quoted !== undefined && speaking.test(bare))
      return [{ text: quoted, ...(quoted.endsWith('?') ? { is: 'question' as const } : {}) }];
    const rest = bare.slice(match[0].length).trim();
    return [render({ rest, whole: bare, ...facts })].flat();
  }
  return [];
}

const speaking =
  /^(?:say|ask|greet|tell|welcome|introduce|close|end|announce|state|thank|explain|inform|mention)\b/iu;

interface Clause {
  /** The text after the verb. */
  readonly rest: string;
  readonly whole: string;
  readonly known: Known;
  readonly ends: boolean;
}

type Render = (clause: Clause) => Line | Line[];

const nothing: Line[] = [];
const farewell: Line = { text: goodbye, is: 'closing' };
const question = (text: string): Line => ({ text, is: 'question' });

/** The first pattern that fits a clause renders it. */
const kinds: readonly (readonly [pattern: RegExp, render: Render])[] = [
  [
    /^(?:do not|don['’]t|never|avoid|keep|be |stay|use |make sure|ensure|speak|act|remember|wait|respond|adapt|include|focus|remain|continue|you (?:are|have|were)|if |when |unless |only |once |no )/iu,
    () => nothing,
  ],
  [
    /^(?:greet|say (?:hello|hi|hey|good (?:morning|day|evening)))\b/iu,
    ({ known }) => greeting(known),
  ],
  [
    /^(?:(?:warm )?welcome|greetings?|hello|intro(?:duction)?|opening)\b/iu,
    () => ({ text: 'Welcome!', is: 'greeting' }),
  ],
  [
    /^introduce yourself as\s+/iu,
    ({ rest }) => ({ text: `Hello, I am ${rest.replace(/^(?:the|a) (?=\p{Lu})/u, '')}.` }),
  ],
  [/^introduce yourself/iu, ({ known }) => greeting(known)],
  [
    /^(?:(?:say|bid|wave)\b.{0,20}\b(?:goodbye|good-?bye|bye|farewell)|(?:goodbye|farewell|close|end|finish|conclude|wrap up|see (?:the \w+|them) off)\b|(?:provide|give|send|offer|write) .{0,30}\b(?:clos(?:ing|e)|farewell|goodbye)\b)/iu,
    () => farewell,
  ],
  [
    /^(?:say thank(?:s| you)|thank|express (?:\w+ )?(?:thanks|gratitude|appreciation))\b/iu,
    ({ rest }) => thanks(rest),
  ],
  [/^wish\s+/iu, ({ rest }) => wish(rest)],
  [
    /^apologi[sz]e/iu,
    ({ rest }) => ({
      text: rest.startsWith('for ') ? `I am sorry ${spokenToPerson(rest)}.` : 'I am sorry.',
    }),
  ],
  [/^(?:congratulate|celebrate|praise)\b/iu, () => ({ text: 'Well done!' })],
  [
    /^(?:(?:sum up|summari[sz]e|summary|recap|review|repeat|restate|read back|go over)\b|(?:offer|give|provide|present|share) .{0,30}\b(?:summary|recap|overview of what)\b)/iu,
    summary,
  ],
  [/^remind\b.{0,40}\bof what you asked/iu, () => nothing],
  [
    /^(?:ask|pose) (?:one|a|another) .{0,20}question$/iu,
    () => question('Could you say a little more about that?'),
  ],
  [/^(?:ask|inquire|enquire)\b\s*/iu, ({ rest }) => asking(withoutPerson(rest))],
  [
    /^(?:check|confirm|verify|clarify|find out|determine|see|learn|understand|assess)\s+(?=(?:with .{1,20} )?(?:if|whether|what|when|where|why|who|which|how)\b)/iu,
    ({ rest }) => asking(withoutPerson(rest)),
  ],
  [/^(?:confirm|verify|check)\s+(?!that\b)/iu, confirming],
  [
    /^(?:find out|determine|learn|identify|understand|collect|gather|get|obtain|request|demand|assess|probe)\s+/iu,
    ({ rest }) => asking(`about ${withoutPerson(rest.replace(/^(?:about|for) /iu, ''))}`),
  ],
  [
    /^(?:explore|discuss|(?:talk|chat) about)\s+/iu,
    ({ rest }) => question(`Let us talk about ${spokenToPerson(rest)}.`),
  ],
  [/^(?:invite|encourage)\s+/iu, ({ rest }) => inviting(withoutPerson(rest))],
  [/^offer\s+/iu, ({ rest }) => offering(withoutPerson(rest))],
  [
    /^(?:say|tell|inform|explain|mention|state|announce|point out|let|reassure|remind|confirm|verify|check|note|emphasi[sz]e)\s+/iu,
    ({ rest }) => telling(withoutPerson(rest)),
  ],
  [
    /^(?:describe|provide|give|share|present|show|introduce)\s+/iu,
    ({ rest }) => topic(withoutPerson(rest)),
  ],
  [/^express .{0,20}\bhope\b/iu, ({ rest }) => hoping(rest)],
  [/^express\b.{0,60}\bmeet/iu, () => ({ text: 'It is good to meet you.' })],
  [/^(?:express|acknowledge|empathi[sz]e|validate)\b/iu, () => ({ text: 'I understand.' })],
  [
    /^(?:steer|redirect|bring|lead)\b/iu,
    () => ({ text: 'Let us come back to what we were talking about.' }),
  ],
];

function greeting(known: Known): Line {
  const name = known?.find(
    ({ name: field, value }) => /(?:^|_)name$/iu.test(field) && typeof value === 'string',
  )?.value;
  return {
    text: typeof name === 'string' && name.length < 40 ? `Hello, ${name}!` : 'Hello!',
    is: 'greeting',
  };
}

function thanks(rest: string): Line {
  const reason = /\bfor (.{3,60})$/iu.exec(rest)?.[1];
  const isShort = reason !== undefined && reason.split(' ').length <= 6;
  return {
    text: isShort ? `Thank you for ${spokenToPerson(reason)}!` : 'Thank you!',
    is: 'closing',
  };
}

function wish(rest: string): Line {
  const wished = withoutPerson(rest);
  return {
    text: /^(?:well|all the best|luck)?$/iu.test(wished)
      ? 'All the best!'
      : `I wish you ${wished}.`,
    is: 'closing',
  };
}

function summary({ known }: Clause): Line | Line[] {
  const words = knownInWords(known);
  return words === undefined ? nothing : { text: `To sum up: ${words}.` };
}

function confirming(clause: Clause): Line | Line[] {
  const { rest, known, ends } = clause;
  if (ends) return summary(clause);
  const words = knownInWords(known);
  return question(
    words === undefined
      ? `Can you confirm ${spokenToPerson(withoutPerson(rest))}?`
      : `Is this right: ${words}?`,
  );
}

function asking(indirect: string): Line | Line[] {
  return indirect === '' || indirect === 'about'
    ? question('Could you tell me more?')
    : question(questionFrom(spokenToPerson(indirect)));
}

function inviting(rest: string): Line | Line[] {
  if (rest.length > 80) return nothing;
  return question(`Please ${spokenToPerson(rest.replace(/^to /iu, ''))}.`);
}

function offering(rest: string): Line {
  const offer = spokenToPerson(rest);
  if (/^(?:to )?(?:your |my )?(?:help|assist|support|assistance)\b/iu.test(offer))
    return { text: 'I am here to help.' };
  return question(/^to /iu.test(offer) ? `Shall I ${offer.slice(3)}?` : `Would you like ${offer}?`);
}

/** "that you are here to help": "I am here to help." Anything else is only named. */
function telling(rest: string): Line | Line[] {
  const said = withoutPerson(rest.replace(/^(?:know|to)\s+/iu, '')).replace(/^know\s+/iu, '');
  const that =
    /^that (.+)$/iu.exec(said)?.[1] ??
    /^((?:you|they|we|it|there|the \w+) (?:are|is|can|will|may|have|has)\b.*)$/iu.exec(said)?.[1];
  const todo = /^(?:them )?to (.{3,80})$/iu.exec(withoutPerson(rest))?.[1];
  if (todo !== undefined) return { text: `Please ${spokenToPerson(todo)}.` };
  if (that !== undefined) return { text: `${capitalised(spokenToPerson(that))}.` };
  return /\bjoke\b/iu.test(said) ? nothing : topic(said);
}

function topic(rest: string): Line | Line[] {
  const about = spokenToPerson(rest.replace(/^(?:about|of|on|with)\s+/iu, ''));
  return about === '' ||
    about.length > 100 ||
    /\byou(?:rself)?\b.*\b(?:should|must)\b/iu.test(about)
    ? nothing
    : { text: `This is about ${about}.` };
}

function hoping(rest: string): Line {
  const to = /\b(?:to|that you) ([^,]{3,60})(?:,.*)?$/iu.exec(`hope ${rest}`)?.[1];
  return {
    text: to === undefined ? 'All the best!' : `I hope to ${spokenToPerson(to)}.`,
    is: 'closing',
  };
}

function withoutPerson(text: string): string {
  return /^(?:the )?\w+['’]s\b|^their\b/iu.test(text) ? text : text.replace(object, '').trim();
}

const mostItems = 20;
const longestValue = 200;

/** Roles at the beginning of field names: `customer_name` is "your name". */
const roles = listed(
  'customer user client caller person participant patient guest visitor contact player student member applicant candidate employee my your',
);

/** The collected values in words: "your name is Maria; your account number is 4711-B". */
function knownInWords(known: Known = []): string | undefined {
  const items = known
    .filter(({ value }) => value !== null && value !== '')
    .slice(0, mostItems)
    .map(knownItem);
  return items.length === 0 ? undefined : items.join('; ');
}

export function knownItem({ name, value }: NonNullable<Known>[number]): string {
  const words = wordsOfName(name).map(({ text }) => text);
  while (words.length > 1 && roles.has(words[0] ?? '')) words.shift();
  const noun = words.join(' ');
  const said = valueInWords(value);
  if (typeof value === 'boolean') return `${noun}: ${said}`;
  // A sentence by the person is quoted, because its "my" means the person.
  if (
    typeof value === 'string' &&
    /^(?:my|our|i|it|the|we|there)\s|\s\S+\s\S+\s\S+\s/iu.test(value)
  )
    return `your ${noun}: "${said}"`;
  const isMany = Array.isArray(value) || (typeof value === 'string' && /[^su]s$/u.test(noun));
  return `your ${noun} ${isMany ? 'are' : 'is'} ${said}`;
}

/** A value as people say it: yes or no, a list with commas, an option without underscores. */
export function valueInWords(value: Json): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(valueInWords).join(', ');
  if (typeof value === 'object' && value !== null)
    return Object.values(value)
      .map((inner) => valueInWords(inner ?? ''))
      .join(', ');
  const text = String(value).replaceAll(/\s+/gu, ' ').trim();
  const readable = /^\w{1,60}$/u.test(text) ? text.replaceAll('_', ' ') : text;
  return readable.length <= longestValue ? readable : `${readable.slice(0, longestValue)} …`;
}

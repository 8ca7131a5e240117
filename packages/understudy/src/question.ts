import { listed } from './reading/words.ts';
import type { JsonObject, PortInput } from '@dramaturg/compiler';
import { type Field, formatOf, kindOf, objectOf, type Option, textKindOf } from './field.ts';
import { wordsOfName } from '@dramaturg/compiler/text';
import { addressed, capitalised, questionFrom } from './saying/asking.ts';

type Ask = PortInput<'reply'>['asks'][number];

/** The largest number of options in a question. */
const mostOptions = 20;

/** The question for a value, with everything that a person needs to answer it. */
export function questionFor(ask: Ask): string {
  const asked = questionWords(ask);
  const options = optionsIn(ask.schema);
  const hints = [
    options === undefined ? hintFor(ask.schema) : undefined,
    ask.required ? undefined : 'optional: you can say skip',
  ];
  const hint = hints.filter((part) => part !== undefined).join('; ');
  return [withOptions(asked, options), ...(hint === '' ? [] : [`(${hint})`])].join(' ');
}

const instructing =
  /^(?:ask|learn|identify|get|collect|gather|find|determine|understand|classify|confirm|check|verify|obtain|capture|record|assess|establish|note|inquire|clarify)\b/iu;
const ofPerson =
  /^(?:your\s|(?:the )?(?:customer|user|client|caller|person|participant|patient|guest|visitor|contact|player|student|member|applicant|candidate)['’]s\s)/iu;
const mentionsRole = /\bthe (?:customer|user|client|caller|person|participant|patient|guest)\b/iu;
const indirect = /^(?:whether|if|what|when|where|why|who|which|how)\b/iu;

/** The question without hints: always the same, with a question mark or a full stop. */
export function questionWords({ name, question, schema }: Ask): string {
  const asked = question.trim();
  if (asked.endsWith('?')) return asked;
  const isName = asked === '' || asked.toLowerCase() === sayable(name).toLowerCase();
  if (isName || instructing.test(asked)) return questionAbout(name, schema);
  if (ofPerson.test(asked) || (indirect.test(asked) && asked.length > 10))
    return questionFrom(addressed(asked));
  const about = /^information (?:about|on) (.+)$/iu.exec(asked)?.[1];
  if (about !== undefined) return questionFrom(`about ${addressed(about)}`);
  return `${withoutEnd(mentionsRole.test(asked) ? addressed(asked) : asked)}?`;
}

/** The part that is in every wording of the question. */
export function questionCore(ask: Ask): string {
  return withoutEnd(questionWords(ask));
}

const roles = listed('customer user client caller person participant patient guest visitor');

function questionAbout(name: string, schema: JsonObject): string {
  const words = wordsOfName(name).map(({ text }) => text);
  while (words.length > 1 && roles.has(words[0] ?? '')) words.shift();
  const noun = words.join(' ') || 'answer';
  if (kindOf(schema).kind === 'yes-no') return `${capitalised(noun)}?`;
  return questionFrom(`your ${noun}`);
}

/** "Type of issue: billing, technical or general?", or the options in parentheses after a complete question. */
function withOptions(asked: string, options: string | undefined): string {
  if (options === undefined) return asked;
  const isPhrase =
    asked.endsWith('?') &&
    !/^(?:what|which|who|when|where|why|how|do|does|did|is|are|was|were|have|has|had|can|could|will|would|should|may|shall|please|am)\b/iu.test(
      asked,
    );
  return isPhrase ? `${withoutEnd(asked)}: ${options}?` : `${asked} (${options})`;
}

function optionsIn(schema: JsonObject): string | undefined {
  const kind = kindOf(schema);
  if (kind.kind !== 'choice' && kind.kind !== 'choices') return undefined;
  return optionsInWords(kind.options, kind.kind === 'choices' ? ' and/or ' : ' or ');
}

/** "billing, technical or general" */
export function optionsInWords(options: readonly Option[], joint: string): string {
  const names = options.slice(0, mostOptions).map((option) => sayable(String(option)));
  const rest = options.length - names.length;
  if (rest > 0) names.push(`one of ${rest} more`);
  const last = names.pop() ?? '';
  return names.length === 0 ? last : `${names.join(', ')}${joint}${last}`;
}

function hintFor(schema: JsonObject): string | undefined {
  const { kind } = kindOf(schema);
  if (kind === 'yes-no') return 'yes or no';
  return kind === 'number' ? numberWanted(schema) : undefined;
}

function numberWanted(schema: JsonObject): string | undefined {
  if (objectOf(schema) !== undefined) return undefined;
  const { minimum, maximum, type } = schema;
  const number = type === 'integer' ? 'a whole number' : 'a number';
  if (typeof minimum === 'number' && typeof maximum === 'number')
    return `${number} from ${minimum} to ${maximum}`;
  if (typeof minimum === 'number') return `${number}, at least ${minimum}`;
  return typeof maximum === 'number' ? `${number}, at most ${maximum}` : number;
}

/** What a kind of text is called, and how it is asked for. */
export const textNouns = {
  any: ['an answer', 'a few words of your own'],
  name: ['a name', 'a name, such as Maria Lopez'],
  place: ['a place', 'a place or an address'],
  email: ['an email address', 'an email address, such as maria@example.com'],
  phone: ['a phone number', 'a phone number, such as +1 555 010 2030'],
  url: ['a web address', 'a web address, such as https://example.com'],
  date: ['a date', 'a date, such as 15 March or next Monday'],
  'exact-date': ['a whole date', 'a date with day, month and year, such as 15 March 2026'],
  'exact-time': ['a time of day', 'a time, such as 17:30'],
  identifier: ['such a number', 'the number as you have it, such as 4711-B'],
} as const;

/** Describes the accepted answers for a field. */
export function acceptedFor(field: Field): string {
  const { kind, schema } = field;
  switch (kind.kind) {
    case 'yes-no':
      return 'yes or no';
    case 'number':
      return numberWanted(schema) ?? 'a number';
    case 'choice':
      return `one of these: ${optionsInWords(kind.options, ' or ')}`;
    case 'choices':
      return `one or more of these: ${optionsInWords(kind.options, ' and ')}`;
    case 'texts':
      return 'one or more things, with commas between them';
    case 'numbers':
      return 'one or more numbers, with commas between them';
    default: {
      if (formatOf(schema) === 'date-time')
        return 'a date and a time, such as 15 March 2026 at 17:30';
      const [noun, wanted] = textNouns[textKindOf(field) ?? 'any'];
      const sample = patternSample(schema);
      const [plain] = (wanted === textNouns.any[1] ? noun : wanted).split(', such as ');
      return sample === undefined ? wanted : `${plain}, such as ${sample}`;
    }
  }
}

/** A text that has the pattern of the schema. */
function patternSample({ pattern, examples }: JsonObject): string | undefined {
  if (pattern === undefined || !Array.isArray(examples)) return undefined;
  return examples.find((each) => typeof each === 'string');
}

/** A name as people say it: `refund_request` is "refund request". */
function sayable(name: string): string {
  return name.replaceAll('_', ' ').trim();
}

function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 1 && '.:!,;? '.includes(text[end - 1] ?? '')) end -= 1;
  return text.slice(0, end);
}

import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type { Chance } from './chance.ts';

/** Something that a person can be asked for. */
export interface Asked {
  readonly name: string;
  readonly question: string;
  readonly schema: JsonObject;
}

/** The sources of an answer. */
export interface AnswerSource {
  readonly chance: Chance;
  /** How often a yes is the answer to a yes-or-no question. */
  readonly agrees: number;
  /** The values that the definition compares with a field. */
  readonly compared: (field: string) => readonly Json[];
}

/** An answer of the declared type: one of the listed values, within the bounds, preferably one that a condition compares. */
export function answerTo({ name, question, schema }: Asked, source: AnswerSource): Json {
  const limits = isRecord(schema['x-limits']) ? schema['x-limits'] : {};
  const about = [labelOf(name), question];
  return valueOf({ ...schema, ...limits }, about, source.compared(name), source);
}

function valueOf(
  schema: unknown,
  about: readonly string[],
  compared: readonly Json[],
  source: AnswerSource,
): Json {
  const { chance } = source;
  const form: JsonObject = isRecord(schema) ? (schema as JsonObject) : {};
  const options = form['enum'] ?? form['oneOf'];
  if (Array.isArray(options) && options.length > 0)
    return chance.of(options.map((each) => (isRecord(each) ? (each['const'] ?? '') : each)));
  const type = [form['type']].flat()[0];
  if (type === 'boolean') return chance.happens(source.agrees);
  if (type === 'integer' || type === 'number') return chance.of(numbersIn(form, compared, about));
  if (type === 'array') {
    const first = valueOf(form['items'], about, [], source);
    const second = valueOf(form['items'], about, [], source);
    return first === second || chance.happens(0.5) ? [first] : [first, second];
  }
  if (type === 'object' && isRecord(form['properties']))
    return Object.fromEntries(
      Object.entries(form['properties']).map(([key, inner]) => [
        key,
        valueOf(inner, [labelOf(key)], [], source),
      ]),
    );
  const texts = compared.filter((each) => typeof each === 'string' && each !== '');
  const { examples, format } = form;
  const usual =
    Array.isArray(examples) && examples.length > 0 ? examples : samplesFor(about, format);
  return chance.of(texts.length > 0 && chance.happens(0.5) ? texts : usual);
}

function numbersIn(
  { minimum, maximum, type }: JsonObject,
  compared: readonly Json[],
  about: readonly string[],
): readonly number[] {
  const low = typeof minimum === 'number' ? minimum : -Infinity;
  const high = typeof maximum === 'number' ? maximum : Infinity;
  const inside = low === -Infinity || high === Infinity ? [] : [low, high, (low + high) / 2];
  const isAge = /\bage\b|how old/i.test(about.join(' '));
  const usual = compared.some((each) => typeof each === 'number') ? [] : isAge ? ages : counts;
  const fitting = [...compared, ...inside, ...usual].filter(
    (each): each is number =>
      typeof each === 'number' && Number.isFinite(each) && each >= low && each <= high,
  );
  const numbers = fitting.map((each) => (type === 'integer' ? Math.round(each) : each));
  return numbers.length > 0 ? [...new Set(numbers)] : [Number.isFinite(low) ? low : high];
}

const ages = [34, 67];
const counts = [2, 5, 12, 40];

/** Texts that people give for a field, found by words in its name, else in its question. */
function samplesFor(about: readonly string[], format: Json | undefined): readonly string[] {
  if (typeof format === 'string' && Object.hasOwn(formats, format)) return formats[format]!;
  for (const words of about) {
    const found = samples.find(([pattern]) => pattern.test(words.toLowerCase()));
    if (found) return found[1];
  }
  return anything;
}

const formats: Readonly<Record<string, readonly string[]>> = {
  date: ['2026-03-15', '2026-01-02'],
  'date-time': ['2026-03-15T09:00:00Z'],
  time: ['09:00', '17:30'],
  email: ['ada@example.com', 'sam.lee@example.com'],
  uri: ['https://example.com'],
};

const samples: readonly (readonly [RegExp, readonly string[]])[] = [
  [/compan|organi[sz]ation|employer/, ['Acme', 'Northwind']],
  [/\bname\b|who are you/, ['Ada Byron', 'Sam Lee', 'Maria Costa', 'Omar Haddad']],
  [/mail/, formats['email']!],
  [/phone|mobile|telephone/, ['+44 20 7946 0000', '020 7946 0123']],
  [/\bdate\b|\bday\b|\bwhen\b/, ['15 March 2026', 'tomorrow', 'next Monday']],
  [/\btime\b/, ['9 am', 'half past five']],
  [
    /account|customer|order|invoice|policy|reference|number|code|\bid\b/,
    ['4711-B', 'AB-1234', '990017'],
  ],
  [/address|street/, ['12 High Street, Leeds', '5 Mill Lane, York']],
  [/city|town|where/, ['Leeds', 'York']],
  [/country/, ['France', 'Chile']],
  [/hobb|interest|activit/, ['gardening', 'walking and chess']],
  [/health|wellness/, ['sleeping better', 'my back']],
  [/topic|question/, ['how it works', 'the price']],
  [/goal/, ['to feel fitter', 'to save time']],
  [/feel|mood/, ['tired', 'quite well', 'a bit sad']],
  [
    /problem|issue|happen|wrong|symptom|describe/,
    ['it stopped working', 'it makes a strange noise', 'my knee hurts'],
  ],
];

const anything = ['nothing special', 'the usual', 'whatever is easiest'];

/** A person's words for a field: "account number" for `customer_account_number`. */
export function labelOf(name: string): string {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[_.-]+/g, ' ')
    .trim()
    .toLowerCase();
  return words.replace(/^(?:customer|user|client|participant|person|patient|contact) (?=\S)/, '');
}

import type { Json, JsonObject } from '@dramaturg/compiler';
import { type Kind, kindOf, objectOf, propertiesOf } from './schema.ts';
import { isStopWord, type Word, wordsOf, wordsOfName } from './reading/words.ts';
import type { TextKind, TextWanted } from './reading/text.ts';

/** A value that a schema asks for: where it belongs, its kind, and the words by which a person may speak of it. */
export interface Field {
  readonly path: readonly string[];
  readonly schema: JsonObject;
  readonly kind: Kind;
  /** What its name says, without the words that every name may have. */
  readonly nameWords: readonly Word[];
  /** The words of its name and of its description. */
  readonly words: readonly Word[];
  /** It has a value already, which only a correction changes. */
  readonly collected: boolean;
}

/** Schemas nest no deeper than this in what we fill; the bound is for schemas that come from elsewhere. */
const deepest = 10;

/** Every value that an object schema asks for, in its order. */
export function fieldsOf(schema: JsonObject, path: readonly string[] = []): Field[] {
  if (path.length >= deepest) return [];
  return propertiesOf(schema).flatMap(([name, property]) => {
    const inner = [...path, name];
    const object = objectOf(property);
    return object === undefined ? [fieldAt(inner, name, property)] : fieldsOf(object, inner);
  });
}

function fieldAt(path: readonly string[], name: string, schema: JsonObject): Field {
  const ownWords = wordsOfName(name).filter((word) => !isStopWord(word));
  const described = wordsOf(
    `${textOf(schema['title'])} ${textOf(schema['description'])}`.slice(0, 500),
  );
  return {
    path,
    schema,
    kind: kindOf(schema),
    nameWords: ownWords,
    words: [...ownWords, ...described.filter((word) => !isStopWord(word))],
    collected: schema['x-collected'] === true,
  };
}

/** A text of a schema; empty when it is none. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

const ofAnyName = new Set(
  'first last full given family middle preferred nick display legal contact guest patient caller client visitor employee driver passenger student member owner buyer patron player real'.split(
    ' ',
  ),
);
const placeWords = new Set(
  'location city country place hometown address town residence destination'.split(' '),
);
const questionWords = new Set(
  'question request help issue problem inquiry curiosity need message'.split(' '),
);

/** Kinds of text that a field's name gives away. */
const named: readonly (readonly [kind: TextKind, words: ReadonlySet<string>])[] = [
  ['email', new Set(['email', 'mail'])],
  ['phone', new Set(['phone', 'telephone', 'mobile', 'cell', 'cellphone', 'whatsapp'])],
  ['url', new Set(['url', 'website', 'homepage', 'webpage', 'link', 'uri'])],
  ['date', new Set(['date', 'birthday', 'dob', 'deadline', 'birthdate'])],
  ['identifier', new Set(['number', 'id', 'no', 'nr', 'zip', 'zipcode', 'postcode', 'iban'])],
];
const formats: Readonly<Record<string, TextKind>> = {
  email: 'email',
  'idn-email': 'email',
  uri: 'url',
  url: 'url',
  date: 'exact-date',
  time: 'exact-time',
};

/** How a free-text answer to the field is to be read, judging by its schema and by the field's words. */
export function textWanted({ schema, nameWords, words }: Field): TextWanted {
  const isQuestion = words.some(({ singular }) => questionWords.has(singular));
  return { kind: kindOfText(schema, nameWords, words), question: isQuestion };
}

function kindOfText(
  schema: JsonObject,
  nameWords: readonly Word[],
  words: readonly Word[],
): TextKind {
  const format = schema['format'];
  if (typeof format === 'string' && Object.hasOwn(formats, format)) return formats[format]!;
  const own = nameWords.map(({ singular }) => singular).filter((word) => !ofAnyName.has(word));
  if (own.length === 1 && (own[0] === 'name' || own[0] === 'nickname')) return 'name';
  if (own.length > 0 && own.every((word) => ofAnyName.has(word) || word === 'name')) return 'name';
  const last = own.at(-1) ?? '';
  const isSaid = (word: string, set: ReadonlySet<string>) => set.has(word);
  // "phone_number" is a phone, and "email_address" is no place.
  for (const [kind, set] of named) {
    const isPlace = kind !== 'identifier' && kind !== 'date';
    if (isPlace ? own.some((word) => isSaid(word, set)) : isSaid(last, set)) return kind;
  }
  if (own.some((word) => placeWords.has(word))) return 'place';
  const described = words
    .slice(nameWords.length)
    .map(({ singular }) => singular)
    .filter((word) => !ofAnyName.has(word));
  return own.length <= 1 && described.length === 1 && described[0] === 'name' ? 'name' : 'any';
}

export function samePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((step, index) => step === b[index]);
}

import type { Json, JsonObject } from '@dramaturg/compiler';
import { type Kind, kindOf, objectOf, propertiesOf } from './schema.ts';
import { type Word, wordsOf, wordsOfName } from '@dramaturg/compiler/text';
import { isStopWord } from './reading/words.ts';
import type { TextKind, TextRequest } from './reading/text.ts';

/** A value that a schema asks for: its path, its kind, and the words that a person may use for it. */
export interface Field {
  readonly path: readonly string[];
  readonly schema: JsonObject;
  readonly kind: Kind;
  /** The words of its name, without stop words. */
  readonly nameWords: readonly Word[];
  /** The words of its name and of its description. */
  readonly words: readonly Word[];
  /** Its place in the order in which values became known; 0 without a value. Only a correction changes a known value. */
  readonly collected: number;
  /** Whether the flow asks for it later. */
  readonly isLater: boolean;
}

/** How deep schemas may nest. The limit is for schemas from untrusted sources. */
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
    `${stringOrEmpty(schema['title'])} ${stringOrEmpty(schema['description'])}`.slice(0, 500),
  );
  return {
    path,
    schema,
    kind: kindOf(schema),
    nameWords: ownWords,
    words: [...ownWords, ...described.filter((word) => !isStopWord(word))],
    collected: Number(schema['x-collected'] ?? 0),
    isLater: schema['x-later'] === true,
  };
}

/** The value if it is a string, else an empty string. */
export function stringOrEmpty(value: Json | undefined): string {
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

/** Kinds of text that a field's name implies. */
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

/** How to read a free-text answer to the field, judging by its schema and its words. */
export function textRequestOf({ schema, nameWords, words }: Field): TextRequest {
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
  // "phone_number" is a phone, and "email_address" is not a place.
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

import type { Json, JsonObject } from '@dramaturg/compiler';
import { type Kind, kindOf, objectOf, propertiesOf } from './schema.ts';
import { isStopWord, type Word, wordsOf, wordsOfName } from './reading/words.ts';
import type { TextWanted } from './reading/text.ts';

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

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

const ofAnyName = new Set('first last full given family preferred nick'.split(' '));
const placeWords = new Set(
  'location city country place hometown address town residence'.split(' '),
);
const questionWords = new Set(
  'question request help issue problem inquiry curiosity need message'.split(' '),
);

/** How a free-text answer to the field is to be read, judging by the field's words. */
export function textWanted({ nameWords, words }: Field): TextWanted {
  const own = nameWords.map(({ singular }) => singular).filter((word) => !ofAnyName.has(word));
  return {
    name: own.length === 1 && (own[0] === 'name' || own[0] === 'nickname'),
    place: nameWords.some(({ singular }) => placeWords.has(singular)),
    question: words.some(({ singular }) => questionWords.has(singular)),
  };
}

export function samePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((step, index) => step === b[index]);
}

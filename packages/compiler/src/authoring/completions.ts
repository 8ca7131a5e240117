import type { AnyFormat } from '../detect.ts';
import { isRecord, type Json, type JsonObject, type Path } from '../json.ts';
import type { Span } from '../read/positions.ts';
import { type Language, valueAt } from '../read/read.ts';
import {
  type AuthoredText,
  authoredText,
  type AuthoringOptions,
  schemaWalkOf,
} from './authored-text.ts';
import type { NameReference, Word } from './authoring.ts';
import type { Cursor } from './cursor.ts';
import {
  declarationAt,
  mentionsOf,
  namesIn,
  namesKnownAt,
  referencesAtPath,
  textOfToken,
} from './names.ts';

/** Something that an author may write at the cursor. */
export interface Completion {
  readonly label: string;
  readonly kind: 'field' | 'value' | 'name' | 'word';
  /** A short description: `state, strict`. */
  readonly detail?: string;
  /** Its meaning, in a sentence. */
  readonly description?: string;
  /** The text to insert. */
  readonly insert: string;
  /** Where the cursor goes, as an offset in the inserted text. */
  readonly caret: number;
  /** The part of the text that it replaces. */
  readonly span: Span;
}

/** The names that may be written at the cursor: declared names, reserved words, and names that only the surroundings know. */
function nameOffers(
  format: AnyFormat,
  authored: AuthoredText,
  known: NonNullable<AuthoringOptions['known']>,
): readonly Completion[] {
  const { authoring } = format;
  if (!authoring) return [];
  const { cursor, value } = authored;
  const { part, typed } = cursor;
  const path = part === 'key' ? [...cursor.path, ''] : cursor.path;
  const names = namesIn(value, authoring);
  const isDeclared = ({ noun }: NameReference) =>
    authoring.declarations.some((declaration) => declaration.noun === noun);

  const offers = referencesAtPath(path, part, authoring).flatMap(
    (reference): readonly Completion[] => {
      const { noun, words = {} } = reference;
      const declared = namesKnownAt(path, noun, names).map(({ name, kind, title }) =>
        offer(authored, name, kind === undefined ? noun : `${noun}, ${kind}`, title),
      );
      const others = isDeclared(reference) ? [] : [...mentionsOf(noun, value, path, authoring)];
      return [
        ...declared,
        ...[...(known[noun] ?? []), ...others].map((name) => offer(authored, name, noun)),
        ...Object.entries(words).map(([word, meaning]) => offer(authored, word, 'word', meaning)),
      ];
    },
  );
  // A name that is used but not declared yet is probably about to be declared here.
  const declared = declarationAt(path, part, authoring);
  const missing = declared
    ? [...mentionsOf(declared.noun, value, path, authoring)].filter(
        (name) => !names.some((one) => one.noun === declared.noun && one.name === name),
      )
    : [];
  const declaring = missing.map((name) =>
    offer(authored, name, declared!.noun, 'It is used, and not declared yet.'),
  );
  const expressions = part === 'value' ? authoring.words?.({ path, typed, definition: value }) : [];
  return [...offers, ...declaring, ...(expressions ?? []).map((word) => wordOffer(authored, word))];
}

function offer(
  { cursor, language }: AuthoredText,
  label: string,
  detail: string,
  description?: string,
): Completion {
  const insertion =
    cursor.part === 'key'
      ? keyInsertion(label, [], cursor, { text: '', language })
      : valueInsertion(label, cursor, language);
  return {
    label,
    kind: detail === 'word' ? 'word' : 'name',
    detail,
    ...(description !== undefined && description !== '' && { description }),
    insert: insertion.text,
    caret: insertion.caret,
    span: cursor.token,
  };
}

/** A word inside a longer string replaces only the typed part of the word. */
function wordOffer(authored: AuthoredText, { word, meaning, from }: Word): Completion {
  const whole = offer(authored, word, 'word', meaning);
  const { token, quote, typed } = authored.cursor;
  const isInText = quote !== '' || authored.language === 'yaml';
  if (from === undefined || !isInText) return whole;
  const start = token.start + quote.length + from;
  return {
    ...whole,
    insert: word,
    caret: word.length,
    span: { start, end: token.start + quote.length + typed.length },
  };
}

/** A text to insert in place of a token, and where the cursor goes in it. */
interface Insertion {
  readonly text: string;
  readonly caret: number;
}

type Kind = 'text' | 'list' | 'object' | 'other';

/** A key with everything that its value needs: quotes, brackets, or the next line. */
function keyInsertion(
  name: string,
  schemas: readonly JsonObject[],
  cursor: Cursor,
  document: { readonly text: string; readonly language: Language },
): Insertion {
  const key = written(name, cursor, document.language);
  if (cursor.hasColon) return { text: key, caret: key.length };
  const [before, after] =
    document.language === 'json'
      ? jsonStubs[kindOf(schemas)]
      : ([
          cursor.isInBrackets ? ' ' : yamlStub(kindOf(schemas), cursor, document.text),
          '',
        ] as const);
  const comma = cursor.lacksComma ? ',' : '';
  const start = `${key}:${before}`;
  return { text: `${start}${after}${comma}`, caret: start.length };
}

function valueInsertion(value: Json, cursor: Cursor, language: Language): Insertion {
  const text = typeof value === 'string' ? written(value, cursor, language) : JSON.stringify(value);
  const comma = cursor.lacksComma && !cursor.mayBeKey ? ',' : '';
  return { text: `${text}${comma}`, caret: text.length };
}

const jsonStubs: Readonly<Record<Kind, readonly [string, string]>> = {
  text: [' "', '"'],
  list: [' [', ']'],
  object: [' { ', ' }'],
  other: [' ', ''],
};

function yamlStub(kind: Kind, { token }: Cursor, text: string): string {
  if (kind === 'text' || kind === 'other') return ' ';
  const column = token.start - (text.lastIndexOf('\n', token.start - 1) + 1);
  return `\n${' '.repeat(column + 2)}${kind === 'list' ? '- ' : ''}`;
}

function kindOf(schemas: readonly JsonObject[]): Kind {
  const types = schemas.flatMap(({ type }) => [type ?? []].flat() as string[]);
  // A part that may be an object or a string is usually a string; one that may be a list is usually a list.
  if (types.includes('string')) return 'text';
  if (types.includes('array')) return 'list';
  const hasFields = schemas.some(({ properties }) => isRecord(properties));
  return hasFields || types.includes('object') ? 'object' : 'other';
}

/** A string as JSON, or in YAML without quotes where it is still a string. */
function written(text: string, { quote }: Cursor, language: Language): string {
  if (language === 'json' || quote === '"') return JSON.stringify(text);
  if (quote === "'") return `'${text.replaceAll("'", "''")}'`;
  const isPlain = /^[\p{L}_$/][\p{L}\p{N}_$/ .()'-]*$/u.test(text) && !text.endsWith(' ');
  const isOther = /^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return isPlain && !isOther ? text : JSON.stringify(text);
}

/**
 * Completions at an offset of a definition: fields and values of the format, and names that the definition knows. The text may
 * be half typed or broken elsewhere. Never throws. Best offers come first; editors filter them by what is typed.
 *
 * @param offset in UTF-16 units
 *
 * @example
 * ```ts
 * const offers = completionsAt('StartAt: Pay\nStates: { Pay: { Type: ', 38, {
 *   formats,
 *   format: 'asl',
 * });
 * console.log(offers.some(({ label }) => label === 'Succeed')); // → true
 * ```
 */
export function completionsAt(
  text: string,
  offset: number,
  options: AuthoringOptions,
): readonly Completion[] {
  const authored = authoredText(text, offset, options);
  if (!authored) return [];
  const { cursor } = authored;
  const found = authored.formats.flatMap((format) => [
    ...(cursor.part === 'value' ? nameOffers(format, authored, options.known ?? {}) : []),
    ...(cursor.part === 'value' ? valueOffers(format, authored) : []),
    ...(cursor.part === 'key' || cursor.mayBeKey ? fieldOffers(format, authored, text) : []),
    ...(cursor.part === 'key' ? nameOffers(format, authored, options.known ?? {}) : []),
  ]);
  return [...new Map(found.toReversed().map((one) => [one.label, one])).values()].toReversed();
}

function fieldOffers(
  format: AnyFormat,
  { cursor, value, language }: AuthoredText,
  text: string,
): readonly Completion[] {
  const walk = schemaWalkOf(format);
  if (!walk) return [];
  const isNewObject = cursor.part === 'value';
  const present = isNewObject ? {} : valueAt(value, cursor.path);
  const around = isNewObject ? withObject(value, cursor.path) : value;
  const schemas = walk.at(cursor.path, around);
  const fields = schemas.flatMap((schema) => {
    const { properties, required = [] } = schema;
    if (!isRecord(properties)) return [];
    return Object.entries(properties).map(([name, field]) => ({
      name,
      field: field as JsonObject,
      isRequired: (required as readonly Json[]).includes(name),
    }));
  });
  const own = textOfToken(text, cursor.token);
  return fields
    .filter(
      ({ name, field }) =>
        field['deprecated'] !== true &&
        (name === own || !isRecord(present) || !Object.hasOwn(present, name)),
    )
    .toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired))
    .map(({ name, field, isRequired }): Completion => {
      const { text: insert, caret } = keyInsertion(
        name,
        walk.alternatives(field, undefined),
        cursor,
        { text, language },
      );
      const { description } = field;
      return {
        label: name,
        kind: 'field',
        detail: isRequired ? 'required' : 'field',
        ...(typeof description === 'string' && { description }),
        insert,
        caret,
        span: cursor.token,
      };
    });
}

function valueOffers(
  format: AnyFormat,
  { cursor, value, language }: AuthoredText,
): readonly Completion[] {
  const schemas = schemaWalkOf(format)?.at(cursor.path, withoutValue(value, cursor.path)) ?? [];
  const values = schemas.flatMap((schema): readonly Json[] => {
    const { enum: listed = [], examples = [], type } = schema;
    const fixed = Object.hasOwn(schema, 'const') ? [schema['const']!] : [];
    const flags = [type].flat().includes('boolean') ? [true, false] : [];
    return [...(listed as readonly Json[]), ...fixed, ...(examples as readonly Json[]), ...flags];
  });
  return [...new Set(values)]
    .filter((one) => one !== null && typeof one !== 'object')
    .map((one): Completion => {
      const { text: insert, caret } = valueInsertion(one, cursor, language);
      return {
        label: String(one),
        kind: 'value',
        detail: 'value',
        insert,
        caret,
        span: cursor.token,
      };
    });
}

/** The value with an empty object at a path, where a key is about to be typed. */
function withObject(value: unknown, path: Path): unknown {
  return changed(value, path, () => ({}));
}

/** Removes the value at a path: half-typed values are ignored. */
function withoutValue(value: unknown, path: Path): unknown {
  return changed(value, path, () => undefined);
}

function changed(value: unknown, path: Path, change: (part: unknown) => unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return change(value);
  if (Array.isArray(value) && typeof step === 'number') {
    const items: unknown[] = [...value];
    items[step] = changed(items[step], rest, change);
    return items;
  }
  if (Array.isArray(value)) return value;
  const fields = isRecord(value) ? value : {};
  const own = Object.hasOwn(fields, step) ? fields[step] : undefined;
  return { ...fields, [step]: changed(own, rest, change) };
}

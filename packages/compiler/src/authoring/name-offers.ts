import type { AnyFormat } from '../detect.ts';
import { isRecord, type Json, type JsonObject } from '../json.ts';
import type { Language } from '../read/read.ts';
import type { AuthoredText, AuthoringOptions } from './authored-text.ts';
import type { NameReference, Word } from './authoring.ts';
import type { Completion } from './completion.ts';
import type { Cursor } from './cursor.ts';
import { declarationAt, mentionsOf, namesIn, namesKnownAt, referencesAt } from './names.ts';

/** The names that may be written at the cursor: declared names, reserved words, and names that only the surroundings know. */
export function nameOffers(
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

  const offers = referencesAt(path, part, authoring).flatMap((reference): readonly Completion[] => {
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
  });
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
export function keyInsertion(
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

export function valueInsertion(value: Json, cursor: Cursor, language: Language): Insertion {
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

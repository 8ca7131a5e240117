import { type AnyFormat, detect } from '../detect.ts';
import { jsonSchemaOf } from '../json-schema/json-schema.ts';
import { valueAt } from '../read/located-text.ts';
import { type Language, languageOf, read } from '../read/read.ts';
import type { Cursor } from './cursor.ts';
import { jsonCursor } from './json-cursor.ts';
import { SchemaWalk } from './schema-walk.ts';
import { yamlCursor } from './yaml-cursor.ts';

export interface AuthoringOptions {
  /** The formats that the text may have. */
  readonly formats: readonly AnyFormat[];
  readonly fileName?: string | undefined;
  /** The name of the format, used while the text does not show it: it may be nearly empty. */
  readonly format?: string | undefined;
  /** Names that the definition does not declare but the surroundings know, by noun: `{ agent: ['writer'] }`. */
  readonly known?: Readonly<Record<string, readonly string[]>>;
}

/** A text with a cursor in it. */
export interface AuthoredText {
  readonly language: Language;
  readonly cursor: Cursor;
  /** The value of the text, or of the part before the cursor when the rest cannot be parsed. */
  readonly value: unknown;
  /** The format of the text, or every format that it may have. */
  readonly formats: readonly AnyFormat[];
}

export function authoredText(
  text: string,
  offset: number,
  { formats, fileName, format }: AuthoringOptions,
): AuthoredText | undefined {
  const language = languageOf(text, fileName);
  const cursor = cursorAt(text, offset, language);
  if (!cursor) return undefined;
  const { value: whole } = read(text, { language, ...(fileName !== undefined && { fileName }) });
  const container = cursor.part === 'key' ? cursor.path : cursor.path.slice(0, -1);
  const holder = valueAt(whole, container);
  const value = typeof holder === 'object' && holder !== null ? whole : cursor.before;
  return { language, cursor, value, formats: formatsOf(value, formats, fileName, format) };
}

/** The format that the value has, else the named one, else all. */
function formatsOf(
  value: unknown,
  formats: readonly AnyFormat[],
  fileName: string | undefined,
  name: string | undefined,
): readonly AnyFormat[] {
  const detected = detect(value, formats, { fileName });
  if ('format' in detected) return [detected.format];
  const named = formats.filter((format) => format.name === name);
  return named.length > 0 ? named : formats;
}

const walks = new WeakMap<AnyFormat, SchemaWalk>();

/** The schema for the files of a format; undefined for a format without schemas. */
export function schemaWalkOf(format: AnyFormat): SchemaWalk | undefined {
  const known = walks.get(format);
  const [schema] = format.schemas ?? [];
  if (known || !schema) return known;
  const walk = new SchemaWalk(jsonSchemaOf(schema));
  walks.set(format, walk);
  return walk;
}

/** Undefined inside of a comment or a string of several lines, and where the text cannot be parsed at all. */
function cursorAt(text: string, offset: number, language: Language): Cursor | undefined {
  return language === 'json' ? jsonCursor(text, offset) : yamlCursor(text, offset);
}

import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isRecord, type Path, type Source } from '@dramaturg/compiler';
import type { Language } from '@dramaturg/compiler/editor';
import { type EditorSchema, read } from '@dramaturg/compiler/format';
import { jsonSchemaOf } from '@dramaturg/compiler/shapes';
import { check } from '../../src/compile.ts';
import { editorSchemas } from '../../src/cli/commands/schema.ts';

const root = join(import.meta.dirname, '../../../..');

export interface Example {
  readonly file: string;
  readonly format: string;
  readonly language: Language;
  readonly text: string;
  readonly source: Source;
}

/** Every definition of the project without errors, each in JSON and in YAML. */
export const examples: readonly Example[] = [
  'packages/formats/*/test/fixtures/**/*.{json,yaml}',
  'packages/create-dramaturg/templates/**/*.{json,yaml}',
  'docs/examples/*.{json,yaml}',
]
  .flatMap((pattern) => globSync(join(root, pattern)))
  .toSorted()
  .flatMap((file) => {
    const written = readFileSync(file, 'utf8');
    const { format, diagnostics } = check(written, { fileName: basename(file) });
    if (format === undefined || diagnostics.some(({ severity }) => severity === 'error')) return [];
    const { value } = read(written, { fileName: file });
    return (['json', 'yaml'] as const).map((language) => {
      const text = language === 'json' ? JSON.stringify(value, undefined, 2) : `${yaml(value)}\n`;
      return { file, format, language, text, source: read(text, { language }) };
    });
  });

/** The fields that a format has anywhere, without older spellings. */
export function fieldsOf(format: string): ReadonlySet<string> {
  const known = fieldNames.get(format) ?? new Set(fieldsIn(jsonSchemaOf(schemaOf(format))));
  fieldNames.set(format, known);
  return known;
}

const fieldNames = new Map<string, ReadonlySet<string>>();

function schemaOf(format: string): EditorSchema {
  return editorSchemas.find(({ name }) => name === format)!.schema;
}

function* fieldsIn(part: unknown): Generator<string> {
  if (Array.isArray(part)) for (const item of part) yield* fieldsIn(item);
  if (!isRecord(part)) return;
  for (const [name, field] of Object.entries(
    isRecord(part['properties']) ? part['properties'] : {},
  ))
    if (isRecord(field) && field['deprecated'] !== true) yield name;
  for (const item of Object.values(part)) yield* fieldsIn(item);
}

/** A path for each kind of place: of several places that differ in indexes and names of parts only, the first. */
export function* kindsOfPlaces(example: Example, seen: Set<string>): Generator<Path> {
  const fields = fieldsOf(example.format);
  for (const path of pathsIn(example.source.value)) {
    const steps = path.map((step) => (fields.has(String(step)) ? step : '#'));
    const kind = `${example.format} ${example.language} ${steps.slice(-2).join('.')}`;
    if (seen.has(kind)) continue;
    seen.add(kind);
    yield path;
  }
}

function* pathsIn(part: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path;
  if (Array.isArray(part))
    for (const [index, item] of part.entries()) yield* pathsIn(item, [...path, index]);
  else if (isRecord(part))
    for (const [key, item] of Object.entries(part)) yield* pathsIn(item, [...path, key]);
}

/** Block style, with plain keys and texts where they stay what they are. */
function yaml(value: unknown, indent = ''): string {
  const inner = `${indent}  `;
  const isInline = (item: unknown) =>
    typeof item !== 'object' || item === null || Object.keys(item).length === 0;
  const plain = (item: unknown) =>
    typeof item === 'string' && /^[A-Za-z][\w ]*$/.test(item) && !/^(?:true|false|null)$/.test(item)
      ? item
      : JSON.stringify(item);
  if (isInline(value)) return plain(value);
  if (Array.isArray(value))
    return value
      .map((item) => `${indent}- ${isInline(item) ? plain(item) : yaml(item, inner).trimStart()}`)
      .join('\n');
  return Object.entries(value as object)
    .map(([key, item]) =>
      isInline(item)
        ? `${indent}${plain(key)}: ${plain(item)}`
        : `${indent}${plain(key)}:\n${yaml(item, inner)}`,
    )
    .join('\n');
}

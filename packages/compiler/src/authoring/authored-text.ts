import { type AnyFormat, detect } from '../detect.ts';
import { jsonSchemaOf } from '../json-schema.ts';
import { isRecord, type JsonObject, type Path } from '../json.ts';
import { type Language, languageOf, read, valueAt } from '../read/read.ts';
import { type Cursor, jsonCursor, yamlCursor } from './cursor.ts';

/** The JSON Schema of a format, to look up what may be at a path. */
class SchemaWalk {
  readonly #root: JsonObject;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** The schemas of the part at a path, with references and conditions resolved. Values decide between alternatives. */
  at(path: Path, value: unknown): readonly JsonObject[] {
    let schemas = this.alternatives(this.#root, value);
    let part = value;
    for (const step of path) {
      const inner = schemas.flatMap((schema) => schemasOfStep(schema, step));
      part = isContainer(part) && Object.hasOwn(part, step) ? part[step] : undefined;
      schemas = inner.flatMap((schema) => this.alternatives(schema, part));
    }
    return schemas;
  }

  /**
   * The schemas that apply to a value, out of the alternatives of a schema.
   *
   * @param value undefined is a value that is not typed yet: it may have any of the shapes
   */
  alternatives(schema: JsonObject, value: unknown, depth = 0): readonly JsonObject[] {
    if (depth > 40) return [];
    const resolve = (reference: string) => this.#resolve(reference);
    const inner = (one: unknown) =>
      isRecord(one) ? this.alternatives(one as JsonObject, value, depth + 1) : [];
    const { $ref, allOf, anyOf, if: condition, then: yes, else: no, ...own } = schema;
    if (typeof $ref === 'string') return inner(resolve($ref));
    const found: JsonObject[] = Object.keys(own).length > 0 ? [own] : [];
    if (Array.isArray(allOf)) found.push(...allOf.flatMap(inner));
    if (Array.isArray(anyOf)) {
      const fitting = anyOf.filter((one) => isContainer(value) && isOfKind(value, one, resolve));
      found.push(...(fitting.length > 0 ? fitting : anyOf).flatMap(inner));
    }
    if (condition === undefined) return found;
    if (!isContainer(value)) return [...found, ...inner(yes), ...inner(no)];
    return [...found, ...inner(matchesSchema(value, condition, resolve) ? yes : no)];
  }

  #resolve(reference: string): JsonObject | undefined {
    const { definitions } = this.#root;
    const name = reference.replace('#/definitions/', '');
    if (!isRecord(definitions) || !Object.hasOwn(definitions, name)) return undefined;
    return definitions[name] as JsonObject;
  }
}

/** Omits fields that every object has, and schemas that allow everything. */
function schemasOfStep(schema: JsonObject, step: string | number): readonly JsonObject[] {
  const { properties, additionalProperties, items } = schema;
  if (typeof step === 'number') {
    const item = Array.isArray(items) ? items[Math.min(step, items.length - 1)] : items;
    return isRecord(item) ? [item as JsonObject] : [];
  }
  if (isRecord(properties) && Object.hasOwn(properties, step))
    return [properties[step] as JsonObject];
  return isRecord(additionalProperties) ? [additionalProperties] : [];
}

/** Whether a list or object may have a shape, by its type alone. */
function isOfKind(
  value: object,
  schema: unknown,
  resolve: (reference: string) => JsonObject | undefined,
): boolean {
  const target =
    isRecord(schema) && typeof schema['$ref'] === 'string' ? resolve(schema['$ref']) : schema;
  return !isRecord(target) || matchesSchema(value, { type: target['type'] }, resolve);
}

function isContainer(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Whether a value meets a condition of a schema. Knows only the keywords that shapes use; the compiler finds the errors. */
function matchesSchema(
  value: unknown,
  schema: unknown,
  resolve: (reference: string) => JsonObject | undefined,
): boolean {
  if (!isRecord(schema)) return schema !== false;
  const matches = (part: unknown, inner: unknown) => matchesSchema(part, inner, resolve);
  const { $ref, type, enum: values, required, properties, additionalProperties } = schema;
  const { items, minProperties, not, allOf, anyOf } = schema;
  if (typeof $ref === 'string') return matches(value, resolve($ref));
  if (type !== undefined && ![type].flat().some((name) => isOfType(value, name))) return false;
  if (Array.isArray(values) && !values.includes(value)) return false;
  if (Object.hasOwn(schema, 'const') && schema['const'] !== value) return false;
  if (not !== undefined && matches(value, not)) return false;
  if (Array.isArray(allOf) && !allOf.every((one) => matches(value, one))) return false;
  if (Array.isArray(anyOf) && !anyOf.some((one) => matches(value, one))) return false;
  if (Array.isArray(value) && items !== undefined && !Array.isArray(items))
    return value.every((item) => matches(item, items));
  if (!isRecord(value)) return true;
  const keys = Object.keys(value);
  if (typeof minProperties === 'number' && keys.length < minProperties) return false;
  if (Array.isArray(required) && !required.every((key) => Object.hasOwn(value, key as string)))
    return false;
  const known: Record<string, unknown> = isRecord(properties) ? properties : {};
  return keys.every((key) =>
    Object.hasOwn(known, key)
      ? matches(value[key], known[key])
      : additionalProperties === undefined || matches(value[key], additionalProperties),
  );
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'object') return isRecord(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

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

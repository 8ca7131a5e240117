import { type AnyFormat, detect } from '../detect.ts';
import type { Range } from '../diagnostic.ts';
import type { Span } from '../read/positions.ts';
import { read } from '../read/read.ts';
import type { Source } from '../read/source.ts';
import {
  authoredText,
  type AuthoredText,
  type AuthoringOptions,
  schemaWalkOf,
} from './authored-text.ts';
import {
  type DeclaredName,
  namesIn,
  nameUnderCursor,
  pathOfToken,
  referencesAtPath,
  textOfToken,
  usesOf,
} from './names.ts';

/**
 * The place that declares the name at an offset; undefined where no known name is. Never throws.
 *
 * @example
 * ```ts
 * const workflow = 'StartAt: Pay\nStates:\n  Pay: { Type: Succeed }';
 * console.log(definitionAt(workflow, workflow.indexOf('Pay'), { formats })?.start.line); // → 3
 * ```
 */
export function definitionAt(
  text: string,
  offset: number,
  options: AuthoringOptions,
): Range | undefined {
  const authored = authoredText(text, offset, options);
  const [format] = authored?.formats ?? [];
  const found = authored && format && nameUnderCursor(text, format, authored);
  if (!found) return undefined;
  const source = read(text, { language: authored.language });
  return source.locate(found.path, found.part);
}

/**
 * All places of the name at an offset: the one that declares it, and those that use it. None where no known name is. Never
 * throws.
 *
 * @example
 * ```ts
 * const workflow = 'StartAt: Pay\nStates:\n  Pay: { Type: Succeed }';
 * console.log(referencesAt(workflow, 9, { formats }).map(({ start }) => start.line)); // → [ 3, 1 ]
 * ```
 */
export function referencesAt(
  text: string,
  offset: number,
  options: AuthoringOptions,
): readonly Range[] {
  const authored = authoredText(text, offset, options);
  const [format] = authored?.formats ?? [];
  const found = authored && format && nameUnderCursor(text, format, authored);
  if (!found || !format.authoring) return [];
  const source = read(text, { language: authored.language });
  return [found, ...usesOf(found, authored.value, format.authoring)].map(({ path, part }) =>
    source.locate(path, part),
  );
}

/** A part of a definition that has a name, for the outline of an editor. */
export interface DefinitionSymbol {
  /** The author's word for such a part: `state`. */
  readonly noun: string;
  readonly name: string;
  /** The kind of the part in the definition's own word: `strict`. */
  readonly kind?: string;
  readonly title?: string;
  /** The whole part, with its key. */
  readonly range: Range;
  /** The name, within the range of the part. */
  readonly nameRange: Range;
  /** The named parts within it, in the order of the text. */
  readonly children: readonly DefinitionSymbol[];
}

interface OpenSymbol extends DefinitionSymbol {
  readonly children: OpenSymbol[];
}

/**
 * The named parts of a definition, in the order of the text; none for a text of no known format. Never throws.
 *
 * @example
 * ```ts
 * const workflow = 'StartAt: Pay\nStates:\n  Pay: { Type: Succeed }';
 * console.log(symbolsIn(workflow, { formats }).map(({ name }) => name)); // → [ 'Pay' ]
 * ```
 */
export function symbolsIn(
  text: string,
  { formats, fileName, format }: AuthoringOptions,
): readonly DefinitionSymbol[] {
  const source = read(text, fileName === undefined ? {} : { fileName });
  const detected = detect(source.value, formats, { fileName, format });
  if ('problem' in detected || !detected.format.authoring) return [];
  const outermost: OpenSymbol[] = [];
  /** The enclosing symbols, outermost first. */
  const around: OpenSymbol[] = [];
  for (const name of namesIn(source.value, detected.format.authoring)) {
    const symbol = symbolOf(name, source);
    while (around.length > 0 && !isWithin(symbol.range, around.at(-1)!.range)) around.pop();
    (around.at(-1)?.children ?? outermost).push(symbol);
    around.push(symbol);
  }
  return outermost;
}

function symbolOf(declared: DeclaredName, source: Source): OpenSymbol {
  const { noun, name, kind, title, path, part } = declared;
  const isField = part === 'value' && typeof path.at(-1) === 'string';
  const own = isField ? path.slice(0, -1) : path;
  const value = source.locate(own);
  const range = part === 'key' ? { ...value, start: source.locate(own, 'key').start } : value;
  const nameRange = source.locate(path, part);
  return {
    noun,
    name,
    ...(kind !== undefined && { kind }),
    ...(title !== undefined && { title }),
    range,
    // The name of a part that an alias repeats is written elsewhere.
    nameRange: isWithin(nameRange, range) ? nameRange : range,
    children: [],
  };
}

function isWithin(inner: Range, outer: Range): boolean {
  return inner.start.offset >= outer.start.offset && inner.end.offset <= outer.end.offset;
}

/** The hover of an editor for the key or name under the pointer. */
export interface Hover {
  readonly title: string;
  /** Sentences. */
  readonly text: readonly string[];
  /** The section of the specification, from docs/formats: `plan.md#states`. */
  readonly section?: string;
  readonly span: Span;
}

/**
 * The meaning of the key or name at an offset. Undefined where nothing is known. Never throws.
 *
 * @example
 * ```ts
 * const workflow = 'StartAt: Pay\nStates:\n  Pay: { Type: Succeed }';
 * console.log(hoverAt(workflow, 2, { formats }) !== undefined); // → true
 * ```
 */
export function hoverAt(
  text: string,
  offset: number,
  options: AuthoringOptions,
): Hover | undefined {
  const authored = authoredText(text, offset, options);
  const [format] = authored?.formats ?? [];
  if (!authored || !format || authored.cursor.token.start === authored.cursor.token.end)
    return undefined;
  return nameHover(text, format, authored) ?? fieldHover(text, format, authored);
}

function nameHover(text: string, format: AnyFormat, authored: AuthoredText): Hover | undefined {
  const { cursor } = authored;
  const written = textOfToken(text, cursor.token);
  const found = nameUnderCursor(text, format, authored);
  if (found) {
    const { noun, name, kind, title } = found;
    return {
      title: `${noun} ${name}${kind === undefined ? '' : `: ${kind}`}`,
      text: title === undefined ? [] : [title],
      span: cursor.token,
    };
  }
  if (!format.authoring) return undefined;
  const path = pathOfToken(authored, written);
  const [reference] = referencesAtPath(path, cursor.part, format.authoring);
  const meaning = Object.entries(reference?.words ?? {}).find(([word]) => word === written)?.[1];
  return meaning === undefined
    ? undefined
    : { title: written, text: [meaning], span: cursor.token };
}

/** The hover for a key, or for a value that is described only by its field. */
function fieldHover(text: string, format: AnyFormat, authored: AuthoredText): Hover | undefined {
  const { cursor, value } = authored;
  const path = pathOfToken(authored, textOfToken(text, cursor.token));
  const schemas = schemaWalkOf(format)?.at(path, value) ?? [];
  const descriptions = schemas.flatMap(({ description }) =>
    typeof description === 'string' ? description : [],
  );
  if (descriptions.length === 0) return undefined;
  const values = schemas.flatMap(({ enum: listed }) => (Array.isArray(listed) ? listed : []));
  const texts = values.filter((one) => typeof one === 'string');
  const field = path.findLast((step) => typeof step === 'string') ?? '';
  const section = sectionOf(format, path);
  return {
    title: cursor.part === 'key' ? field : `${field}: ${textOfToken(text, cursor.token)}`,
    text: [
      ...new Set(descriptions),
      ...(texts.length > 0 ? [`Values: ${[...new Set(texts)].join(', ')}.`] : []),
    ],
    ...(section !== undefined && { section }),
    span: cursor.token,
  };
}

/** The section of the innermost field that has one. */
function sectionOf({ authoring }: AnyFormat, path: readonly (string | number)[]) {
  const sections = authoring?.sections ?? {};
  const field = path.findLast((step) => Object.hasOwn(sections, step));
  return sections[field ?? ''];
}

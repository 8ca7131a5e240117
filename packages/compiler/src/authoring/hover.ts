import type { AnyFormat } from '../detect.ts';
import type { Span } from '../read/positions.ts';
import {
  type AuthoredText,
  authoredText,
  type AuthoringOptions,
  schemaWalkOf,
} from './authored-text.ts';
import { nameUnderCursor, pathOfToken, textOfToken } from './name-under-cursor.ts';
import { referencesAt } from './names.ts';

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
  const [reference] = referencesAt(path, cursor.part, format.authoring);
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

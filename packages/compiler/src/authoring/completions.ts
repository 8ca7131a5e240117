import type { AnyFormat } from '../detect.ts';
import { isRecord, type Json, type JsonObject } from '../json.ts';
import type { Path } from '../path.ts';
import { valueAt } from '../read/located-text.ts';
import {
  type AuthoredText,
  authoredText,
  type AuthoringOptions,
  schemaWalkOf,
} from './authored-text.ts';
import type { Completion } from './completion.ts';
import { keyInsertion, nameOffers, valueInsertion } from './name-offers.ts';
import { textOfToken } from './name-under-cursor.ts';

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
  return [
    ...new Map(found.toReversed().map((offer) => [offer.label, offer])).values(),
  ].toReversed();
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

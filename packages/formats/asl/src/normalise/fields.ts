import { isRecord, type Json, type JsonObject, type Path } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import type { Part } from '../authored.ts';
import { isExpression, type QueryLanguage } from '../definition/field.ts';
import type { ValueSource } from '../definition/state.ts';
import { tooMany } from '../diagnostics/fields.ts';

/** Functions that read authored values: a value of a wrong shape is read as absent, and the shape check reports it. */

/** Receives lists that are too long. */
export interface Reporting {
  readonly report: Report;
}

/** Longer than any list written by hand; later steps may compare each item with the others. */
export const longestList = 1_000;

export function optionalString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function optionalNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

export function optionalObject(value: unknown): JsonObject | undefined {
  return isRecord(value) ? (value as JsonObject) : undefined;
}

/** The value of a field; null is a value. */
export function optionalJson(value: unknown): Json | undefined {
  return value as Json | undefined;
}

/** A path, or null for none of the data; `absent` when left out. */
export function readPath<Absent>(value: unknown, absent: Absent): string | null | Absent {
  return typeof value === 'string' || value === null ? value : absent;
}

/** The objects of a list, up to a limit. */
export function readObjects({ value, at }: Part, field: string, reading: Reporting): Part[] {
  return listOf(value[field], [...at, field], reading).flatMap((item, index) =>
    isRecord(item) ? [{ value: item, at: [...at, field, index] }] : [],
  );
}

/** The strings of a list, up to a limit. */
export function readTexts({ value, at }: Part, field: string, reading: Reporting): string[] {
  return listOf(value[field], [...at, field], reading).filter((item) => typeof item === 'string');
}

function listOf(value: unknown, at: Path, { report }: Reporting): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  if (value.length <= longestList) return value;
  report(tooMany(value.length, longestList), at);
  return value.slice(0, longestList);
}

/**
 * A value: literal in `Name`, at the path in `NamePath` or `Name.$`, or computed by an expression. A rule reports two
 * of them.
 */
export function readValueSource<Value extends Json>(
  { value: fields, at }: Part,
  name: string,
  fits: (value: Json) => value is Value,
  language: QueryLanguage,
): ValueSource<Value> | undefined {
  const written = fields[name] as Json | undefined;
  if (language === 'JSONata' && isExpression(written)) {
    return { expression: written, at: [...at, name] };
  }
  if (written !== undefined && fits(written)) return { value: written, at: [...at, name] };
  for (const field of [`${name}Path`, `${name}.$`]) {
    const path = optionalString(fields[field]);
    if (path !== undefined) return { path, at: [...at, field] };
  }
  return undefined;
}

export function isText(value: Json): value is string {
  return typeof value === 'string';
}

export function isNumber(value: Json): value is number {
  return typeof value === 'number';
}

export function isAny(value: Json): value is Json {
  return value !== undefined;
}

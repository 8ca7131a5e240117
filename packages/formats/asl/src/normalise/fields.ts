import { isRecord, type Json, type JsonObject, type Path } from '@dramaturg/compiler';
import { isExpression, type QueryLanguage } from '../definition/field.ts';
import type { Dialect, Finding, Given, Machine } from '../definition/index.ts';
import type { Importing } from './include.ts';
import { tooMany } from '../diagnostics/structure.ts';

/** Reading what may be anything: a part of a wrong shape is read as absent, and the shape check reports it. */

/** What a workflow says of the tools of all its tasks. */
export interface CommonTools {
  readonly defaults: JsonObject | undefined;
  readonly categories: Readonly<Record<string, unknown>>;
}

/** What all parts of one workflow are read with. */
export interface Reading {
  readonly dialect: Dialect;
  readonly findings: Finding[];
  /** How many states may still be read. */
  readonly budget: { statesLeft: number };
  /** What the workflow says of the tools of all its tasks. */
  readonly tools?: CommonTools;
  /** Where templates come from; undefined where they have been read already. */
  readonly importing?: Importing;
  /** Reads a machine in a state, such as a branch. */
  readonly readMachine: (machine: Placed, reading: Reading) => Machine;
}

/** No one writes longer lists by hand; what follows may compare each item with the others. */
export const longestList = 1_000;

/** An object and where it stands. */
export interface Placed {
  readonly value: Readonly<Record<string, unknown>>;
  readonly at: Path;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

export function record(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

export function objectOf(value: unknown): JsonObject | undefined {
  return isRecord(value) ? (value as JsonObject) : undefined;
}

/** What stands in a field, undefined when nothing does: null is a value. */
export function jsonOf(value: unknown): Json | undefined {
  return value as Json | undefined;
}

/** A path, null for none of it, and what it is when left out. */
export function pathOf<Absent>(value: unknown, absent: Absent): string | null | Absent {
  return typeof value === 'string' || value === null ? value : absent;
}

/** The part in a field, as an object and where it stands. */
export function partOf({ value, at }: Placed, field: string): Placed | undefined {
  const part = value[field];
  return isRecord(part) ? { value: part, at: [...at, field] } : undefined;
}

/** The objects of a list, up to a limit. */
export function records({ value, at }: Placed, field: string, reading: Reading): Placed[] {
  return listOf(value[field], [...at, field], reading).flatMap((item, index) =>
    isRecord(item) ? [{ value: item, at: [...at, field, index] }] : [],
  );
}

/** The texts of a list, up to a limit. */
export function texts(
  { value, at }: Placed,
  field: string,
  reading: Pick<Reading, 'findings'>,
): string[] {
  return listOf(value[field], [...at, field], reading).filter((item) => typeof item === 'string');
}

function listOf(
  value: unknown,
  at: Path,
  { findings }: Pick<Reading, 'findings'>,
): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  if (value.length <= longestList) return value;
  findings.push({ problem: tooMany(value.length, longestList), path: at });
  return value.slice(0, longestList);
}

/**
 * A value that is written out in `Name`, or read from where `NamePath` or `Name.$` says, or computed by an expression.
 * When two are there a rule reports it.
 */
export function given<Value extends Json>(
  { value: fields, at }: Placed,
  name: string,
  fits: (value: Json) => value is Value,
  language: QueryLanguage,
): Given<Value> | undefined {
  const written = fields[name] as Json | undefined;
  if (language === 'JSONata' && isExpression(written)) {
    return { expression: written, at: [...at, name] };
  }
  if (written !== undefined && fits(written)) return { value: written, at: [...at, name] };
  for (const field of [`${name}Path`, `${name}.$`]) {
    const path = textOf(fields[field]);
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

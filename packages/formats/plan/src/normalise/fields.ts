import { isRecord, type Path } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import { tooMany } from '../diagnostics/states.ts';

/** Reads values of any shape: a wrong shape is read as absent, and the shape check reports it. */

/** The most entries of a list that are read, because rules may compare each entry with all others. */
export const longestList = 1_000;

/** An object and its path. */
export interface Placed {
  readonly value: Record<string, unknown>;
  readonly at: Path;
}

export function optionalString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function record(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** The objects of a list, up to a limit. */
export function records(value: unknown, at: Path, report: Report, limit = longestList): Placed[] {
  return listOf(value, at, report, limit).flatMap((item, index) =>
    isRecord(item) ? [{ value: item, at: [...at, index] }] : [],
  );
}

/** The strings, numbers and booleans of a list as strings, up to a limit. */
export function scalars(value: unknown, at: Path, report: Report): string[] {
  return listOf(value, at, report, longestList)
    .filter(
      (item) => typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean',
    )
    .map(String);
}

function listOf(value: unknown, at: Path, report: Report, limit: number): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  if (value.length <= limit) return value;
  report(tooMany(value.length, limit), at);
  return value.slice(0, limit);
}

import { isRecord, type Path } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import { tooMany } from '../diagnostics/scenarios.ts';

/** Reads values of any shape: a wrong shape is read as absent, and the shape check reports it. */

/** The most entries of a list that are read, because rules may compare each entry with all others. */
const longestList = 1_000;

/** The limit for states and transitions, which rules compare only with the states they name. */
export const longestListOfStates = 10_000;

/** An object and its path. */
export interface Placed {
  readonly value: Record<string, unknown>;
  readonly at: Path;
}

export function optionalText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function wholeNumber(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

export function record(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** The objects of a list, up to a limit. */
export function records(value: unknown, at: Path, report: Report, limit = longestList): Placed[] {
  if (!Array.isArray(value)) return [];
  if (value.length > limit) report(tooMany(value.length, limit), at);
  return value
    .slice(0, limit)
    .flatMap((item: unknown, index) =>
      isRecord(item) ? [{ value: item, at: [...at, index] }] : [],
    );
}

/** Whether an object has these fields as strings. Without them a transition or link connects nothing. */
export function having(...fields: readonly string[]): (placed: Placed) => boolean {
  return ({ value }) => fields.every((field) => typeof value[field] === 'string');
}

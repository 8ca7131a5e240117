import { isRecord, type Path, type Report } from '@dramaturg/compiler';
import { tooMany } from '../diagnostics/scenarios.ts';

/** Reading what may be anything: a part of a wrong shape is read as absent, and the shape check reports it. */

/** No one writes longer lists by hand; what follows may compare each item with the others. */
const longestList = 1_000;

/** States and transitions are compared with nothing but what they name. */
export const longestListOfStates = 10_000;

/** An object and its path. */
export interface Placed {
  readonly value: Record<string, unknown>;
  readonly at: Path;
}

export function textOf(value: unknown): string {
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

/** Keeps what has these fields as texts: what does not say where it leads connects nothing. */
export function having(...fields: readonly string[]): (placed: Placed) => boolean {
  return ({ value }) => fields.every((field) => typeof value[field] === 'string');
}

import { isRecord, type Path } from '@dramaturg/compiler';

/** Reading what may be anything: a part of a wrong shape is read as absent, and the shape check reports it. */

/** An object and where it stands. */
export interface Placed {
  readonly value: Record<string, unknown>;
  readonly at: Path;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function record(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** The objects of a list. */
export function records(value: unknown, at: Path): Placed[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown, index) =>
    isRecord(item) ? [{ value: item, at: [...at, index] }] : [],
  );
}

/** The texts, numbers and booleans of a list, as text. */
export function scalars(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item) => ['string', 'number', 'boolean'].includes(typeof item)).map(String);
}

import type { Json } from '@dramaturg/compiler';
import { StatesError } from '../data/states-error.ts';
import { toText } from '../data/to-text.ts';
import type { Dialect, ValueSource } from '../definition/index.ts';
import type { Run } from './run.ts';
import { compileOptionalSource } from './value-source.ts';

export interface NumberKind {
  readonly name: string;
  readonly fits: (value: number) => boolean;
  /** Why the number is out of range, or undefined. */
  readonly fault: (value: number) => string | undefined;
}

export const whole: NumberKind = {
  name: 'integer',
  fits: Number.isInteger,
  fault: (value) => (value < 0 ? 'cannot be negative' : undefined),
};

export const positive: NumberKind = {
  ...whole,
  fault: (value) => (value < 1 ? 'must be at least 1' : undefined),
};

export const percent: NumberKind = {
  name: 'float',
  fits: Number.isFinite,
  fault: (value) => (value < 0 || value > 100 ? 'must be between 0 and 100' : undefined),
};

/**
 * Compiles a number of a Map.
 *
 * @throws StatesError States.Runtime in AWS's words, States.QueryEvaluationError for an expression
 */
export function compileNumber(
  source: ValueSource<number> | undefined,
  field: string,
  dialect: Dialect,
  kind: NumberKind,
): (run: Run, selected: Json) => number | undefined {
  const read = compileOptionalSource(source, dialect, field);
  if (!read || !source) return () => undefined;
  return (run, selected) => {
    const value = asNumber(read(run, selected), source);
    if (typeof value !== 'number' || !kind.fits(value))
      throw invalidNumber(value, source, field, kind);
    const fault = kind.fault(value);
    if (fault !== undefined) throw new StatesError('States.Runtime', `${field} ${fault}.`);
    return value;
  };
}

/** AWS reads a string at a path as a number when it looks like one. */
function asNumber(value: Json, source: ValueSource): Json {
  const isWritten = 'path' in source && typeof value === 'string' && value.trim() !== '';
  return isWritten && Number.isFinite(Number(value)) ? Number(value) : value;
}

function invalidNumber(
  value: Json,
  source: ValueSource,
  field: string,
  kind: NumberKind,
): StatesError {
  const shown = toText(value).slice(0, 200);
  if ('path' in source) {
    return new StatesError(
      'States.Runtime',
      `The ${field}Path field refers to value "${shown}" which is not a valid ${kind.name}: ${source.path}`,
    );
  }
  return new StatesError(
    'States.QueryEvaluationError',
    `The value ${shown} for the field '${field}' is not a valid ${kind.name}.`,
  );
}

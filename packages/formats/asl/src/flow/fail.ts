import type { Dialect, Fail, ValueSource } from '../definition/index.ts';
import { dialects } from '../dialect.ts';
import { StatesError } from '../data/states-error.ts';
import { compileValueSource } from './value-source.ts';
import type { Failure, Run } from './run.ts';
import type { Json } from '@dramaturg/compiler';

/** The slice of the program that a Fail owns. */
export interface FailProgram {
  readonly failure: (run: Run, selected: Json) => Failure;
}

/** Spec: Agent 2 §Fail State, Amazon #fail-state */
export function compileFail(state: Fail, dialect: Dialect): FailProgram {
  const error = compileText(state.Error, dialect, 'Error');
  const cause = compileText(state.Cause, dialect, 'Cause');
  if (!error && !cause) return { failure: () => dialects[dialect].wordlessFail };
  return {
    failure: (run, selected) => ({
      error: error?.(run, selected) ?? null,
      cause: cause?.(run, selected) ?? null,
    }),
  };
}

function compileText(
  source: ValueSource | undefined,
  dialect: Dialect,
  field: string,
): ((run: Run, selected: Json) => string | null) | undefined {
  if (!source) return undefined;
  const read = compileValueSource(source, dialect, field);
  return (run, selected) => {
    const value = read(run, selected);
    if (typeof value === 'string') return value;
    if (value === null && 'path' in source && run.missing === 'null') return null;
    throw new StatesError(
      'expression' in source ? 'States.QueryEvaluationError' : 'States.Runtime',
      `The ${field} of the Fail state is not a string.`,
    );
  };
}

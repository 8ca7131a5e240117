import type { Dialect, Fail } from '../definition/index.ts';
import { dialects } from '../dialect.ts';
import { StatesError } from '../data/states-error.ts';
import { compileOptionalGiven, type GivenValue } from './given.ts';
import type { Failure, Run } from './run.ts';
import type { Json } from '@dramaturg/compiler';

/** The failure of a Fail state. Spec: Agent 2 §Fail State, Amazon #fail-state */
export function compileFail(state: Fail, dialect: Dialect): (run: Run, selected: Json) => Failure {
  const error = compileOptionalGiven(state.Error, dialect, 'Error');
  const cause = compileOptionalGiven(state.Cause, dialect, 'Cause');
  if (!error && !cause) return () => dialects[dialect].wordlessFail;
  return (run, selected) => ({
    error: textOf(error, 'Error', run, selected),
    cause: textOf(cause, 'Cause', run, selected),
  });
}

function textOf(
  given: GivenValue | undefined,
  field: string,
  run: Run,
  selected: Json,
): string | null {
  if (!given) return null;
  const value = given(run, selected);
  if (typeof value === 'string') return value;
  throw new StatesError('States.Runtime', `The ${field} of the Fail state is no text.`);
}

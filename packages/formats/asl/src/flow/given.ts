import type { Json } from '@dramaturg/compiler';
import { compileExpression } from '../data/jsonata/index.ts';
import { compileQuery } from '../data/template.ts';
import type { Dialect, Given } from '../definition/index.ts';
import { scope } from './jsonata-flow.ts';
import { evaluation } from './jsonpath-flow.ts';
import type { Run } from './run.ts';

/** @param selected the result of `DataFlow.select`, where paths begin */
export type GivenValue = (run: Run, selected: Json) => Json;

/**
 * Compiles a value that is literal, read from a path, or computed by an intrinsic function or JSONata.
 *
 * @param field its name in error messages, such as `Seconds`
 */
export function compileGiven(given: Given, dialect: Dialect, field: string): GivenValue {
  if ('value' in given) return () => given.value;
  if ('path' in given) {
    const query = compileQuery(given.path, dialect, `${field}Path`);
    return (run, selected) => query(evaluation(run, selected));
  }
  const evaluate = compileExpression(given.expression, field);
  return (run) => evaluate(scope(run));
}

export function compileOptionalGiven(
  given: Given | undefined,
  dialect: Dialect,
  field: string,
): GivenValue | undefined {
  return given && compileGiven(given, dialect, field);
}

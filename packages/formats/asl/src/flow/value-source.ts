import type { Json } from '@dramaturg/compiler';
import { compileExpression, compileJsonata } from '../data/jsonata/expression.ts';
import { readPath } from '../data/path/read.ts';
import { compileQuery, compileTemplate } from '../data/template.ts';
import { toText } from '../data/states-error.ts';
import type { StateBase, ValueSource } from '../definition/state.ts';
import type { Dialect } from '../definition/machine.ts';
import { scopeOf } from './jsonata-flow.ts';
import { evaluation } from './jsonpath-flow.ts';
import type { Run } from './run.ts';

/** @param selected the result of `DataFlow.select`, where paths begin */
export type ValueReader = (run: Run, selected: Json) => Json;

/**
 * Compiles a value that is literal, read from a path, or computed by an intrinsic function or JSONata.
 *
 * @param field its name in error messages, such as `Seconds`
 */
export function compileValueSource(
  source: ValueSource,
  dialect: Dialect,
  field: string,
): ValueReader {
  if ('value' in source) return () => source.value;
  if ('path' in source) {
    const query = compileQuery(source.path, dialect, `${field}Path`);
    return (run, selected) => query(evaluation(run, selected));
  }
  const evaluate = compileExpression(source.expression, field);
  return (run) => evaluate(scopeOf(run));
}

/**
 * Compiles the key of stored data. A path to nothing is an error in any workflow: with null, all data without a key
 * would share one.
 */
export function compileKeySource(
  source: ValueSource,
  dialect: Dialect,
  field: string,
): ValueReader {
  const read = compileValueSource(source, dialect, field);
  return (run, selected) => read({ ...run, missing: 'fail' }, selected);
}

export function compileOptionalSource(
  source: ValueSource | undefined,
  dialect: Dialect,
  field: string,
): ValueReader | undefined {
  return source && compileValueSource(source, dialect, field);
}

/** Compiles a template in the query language of a state. */
export function compileStateTemplate(
  template: Json,
  { QueryLanguage: language }: Pick<StateBase, 'QueryLanguage'>,
  dialect: Dialect,
  field: string,
): ValueReader {
  if (language === 'JSONata') {
    const evaluate = compileJsonata(template, field);
    return (run) => evaluate(scopeOf(run));
  }
  const evaluate = compileTemplate(template, dialect, field);
  return (run, selected) => evaluate(evaluation(run, selected));
}

/** `{{$.path}}` within a string. Agent 3 §Namespaces, Agent 6 §Prompts */
export const placeholder = /\{\{\s*(\$[^{}]*?)\s*\}\}/g;

/** Replaces each placeholder by the value at its path. A placeholder without a value stays as it is. */
export function fillPlaceholders(
  text: string,
  run: Run,
  data: Json,
  print: (value: Json) => string = toText,
): string {
  if (!text.includes('{{')) return text;
  return text.replace(placeholder, (written, path: string) => {
    const found = readPath(path, evaluation(run, data));
    return found.found ? print(found.value) : written;
  });
}

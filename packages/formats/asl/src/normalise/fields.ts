import { isRecord, type Json, type JsonObject, type Path } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import type { Part } from '../authored.ts';
import { isExpression, type QueryLanguage } from '../definition/field.ts';
import type { Machine } from '../definition/machine.ts';
import type { Catcher, HasRecovery, JitterStrategy, Retrier } from '../definition/retry.ts';
import type { HasInput, HasNext, HasResult, StateBase, ValueSource } from '../definition/state.ts';
import type { Dialect } from '../definition/workflow.ts';
import { tooMany } from '../diagnostics/fields.ts';
import { dialects } from '../dialect.ts';

/** Functions that read authored values: a value of a wrong shape is read as absent, and the shape check reports it. */

/** Longer than any list written by hand; later steps may compare each item with the others. */
export const longestList = 1_000;

export function optionalString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function optionalNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

export function optionalObject(value: unknown): JsonObject | undefined {
  return isRecord(value) ? (value as JsonObject) : undefined;
}

/** The value of a field; null is a value. */
export function optionalJson(value: unknown): Json | undefined {
  return value as Json | undefined;
}

/** A path, or null for none of the data; `absent` when left out. */
export function readPath<Absent>(value: unknown, absent: Absent): string | null | Absent {
  return typeof value === 'string' || value === null ? value : absent;
}

/** The objects of a list, up to a limit. */
export function readObjects({ value, at }: Part, field: string, reading: Reading): Part[] {
  return listOf(value[field], [...at, field], reading).flatMap((item, index) =>
    isRecord(item) ? [{ value: item, at: [...at, field, index] }] : [],
  );
}

/** The strings of a list, up to a limit. */
export function readTexts(
  { value, at }: Part,
  field: string,
  reading: Pick<Reading, 'report'>,
): string[] {
  return listOf(value[field], [...at, field], reading).filter((item) => typeof item === 'string');
}

function listOf(value: unknown, at: Path, { report }: Pick<Reading, 'report'>): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  if (value.length <= longestList) return value;
  report(tooMany(value.length, longestList), at);
  return value.slice(0, longestList);
}

/**
 * A value: literal in `Name`, at the path in `NamePath` or `Name.$`, or computed by an expression. A rule reports two
 * of them.
 */
export function readValueSource<Value extends Json>(
  { value: fields, at }: Part,
  name: string,
  fits: (value: Json) => value is Value,
  language: QueryLanguage,
): ValueSource<Value> | undefined {
  const written = fields[name] as Json | undefined;
  if (language === 'JSONata' && isExpression(written)) {
    return { expression: written, at: [...at, name] };
  }
  if (written !== undefined && fits(written)) return { value: written, at: [...at, name] };
  for (const field of [`${name}Path`, `${name}.$`]) {
    const path = optionalString(fields[field]);
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

/** @param language of the workflow: the default of its states, even in a state with a language of its own */
export function readBase(
  name: string,
  { value: fields, at }: Part,
  language: QueryLanguage,
): StateBase {
  const own = fields['QueryLanguage'];
  return {
    name,
    Comment: optionalString(fields['Comment']),
    QueryLanguage: own === 'JSONata' || own === 'JSONPath' ? own : language,
    InputPath: readPath(fields['InputPath'], '$'),
    OutputPath: readPath(fields['OutputPath'], '$'),
    Output: optionalJson(fields['Output']),
    Assign: optionalObject(fields['Assign']),
    at,
    authored: fields,
  };
}

export function readLeads({ value: fields }: Part): HasNext {
  return { Next: optionalString(fields['Next']), End: fields['End'] === true };
}

export function readInput({ value: fields }: Part): HasInput {
  return {
    Parameters: optionalJson(fields['Parameters']),
    Arguments: optionalJson(fields['Arguments']),
  };
}

export function readResult({ value: fields }: Part): HasResult {
  return {
    ResultPath: readPath(fields['ResultPath'], '$'),
    ResultSelector: optionalJson(fields['ResultSelector']),
  };
}

export function readRecovery(authored: Part, reading: Reading): HasRecovery {
  return {
    Retry: readObjects(authored, 'Retry', reading).map((retrier) => readRetrier(retrier, reading)),
    Catch: readObjects(authored, 'Catch', reading).map((catcher) => readCatcher(catcher, reading)),
  };
}

function readRetrier(authored: Part, reading: Reading): Retrier {
  const { value: fields, at } = authored;
  return {
    ErrorEquals: readTexts(authored, 'ErrorEquals', reading),
    IntervalSeconds: optionalNumber(fields['IntervalSeconds']) ?? 1,
    MaxAttempts: optionalNumber(fields['MaxAttempts']) ?? 3,
    BackoffRate: optionalNumber(fields['BackoffRate']) ?? 2,
    MaxDelaySeconds:
      optionalNumber(fields['MaxDelaySeconds']) ?? optionalNumber(fields['MaxIntervalSeconds']),
    JitterStrategy: readJitter(fields['JitterStrategy']),
    at,
    authored: fields,
  };
}

/** Tutorial 11 of Agent State Language writes it in small letters. */
function readJitter(written: unknown): JitterStrategy {
  const word = optionalString(written)?.toUpperCase();
  return word === 'FULL' || word === 'DECORRELATED' ? word : 'NONE';
}

function readCatcher(authored: Part, reading: Reading): Catcher {
  const { value: fields, at } = authored;
  return {
    ErrorEquals: readTexts(authored, 'ErrorEquals', reading),
    Next: optionalString(fields['Next']) ?? '',
    ResultPath: readPath(fields['ResultPath'], dialects[reading.dialect].catchResultPath),
    Output: optionalJson(fields['Output']),
    Assign: optionalObject(fields['Assign']),
    at,
    authored: fields,
  };
}

/** The tools that a workflow declares for all its tasks. */
export interface CommonTools {
  readonly defaults: JsonObject | undefined;
  readonly categories: Readonly<Record<string, unknown>>;
}

/** The data that the parts of one workflow share while they are read. */
export interface Reading {
  readonly dialect: Dialect;
  readonly report: Report;
  /** How many states may still be read. */
  readonly budget: { statesLeft: number };
  /** The tools that the workflow declares for all its tasks. */
  readonly tools?: CommonTools;
  /** The source of templates; undefined when they have been read already. */
  readonly importing?: Importing;
  /** Reads a machine in a state, such as a branch. */
  readonly readMachine: (machine: Part, reading: Reading) => Machine;
}

/** The templates that a workflow may include, and the file that is being read. */
export interface Importing {
  /** Contents of files, by their paths from the folder of the workflow; undefined leaves templates to an agent. */
  readonly files: Readonly<Record<string, Json>> | undefined;
  /** The workflow or template that is being read: its path, its imports, and the files that include it. */
  readonly path: string;
  readonly imports: Readonly<Record<string, unknown>>;
  readonly lock: Readonly<Record<string, unknown>>;
  readonly stack: readonly string[];
}

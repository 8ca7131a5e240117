import type { Json } from '@dramaturg/compiler';
import type { Part } from '../authored.ts';
import type { QueryLanguage } from '../definition/field.ts';
import type { Dialect, Machine } from '../definition/machine.ts';
import type {
  Catcher,
  HasInput,
  HasNext,
  HasRecovery,
  HasResult,
  JitterStrategy,
  Retrier,
  StateBase,
} from '../definition/state.ts';
import type { CommonTools } from '../definition/tools.ts';
import { dialects } from '../dialect.ts';
import {
  optionalJson,
  optionalNumber,
  optionalObject,
  optionalString,
  readObjects,
  readPath,
  readTexts,
  type Reporting,
} from './fields.ts';

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

function readResult({ value: fields }: Part): HasResult {
  return {
    ResultPath: readPath(fields['ResultPath'], '$'),
    ResultSelector: optionalJson(fields['ResultSelector']),
  };
}

function readRecovery(authored: Part, reading: Reading): HasRecovery {
  return {
    Retry: readObjects(authored, 'Retry', reading).map((retrier) => readRetrier(retrier, reading)),
    Catch: readObjects(authored, 'Catch', reading).map((catcher) => readCatcher(catcher, reading)),
  };
}

/** The result of a state that works, what follows its errors, and what comes next. */
export function readOutcome(authored: Part, reading: Reading): HasResult & HasRecovery & HasNext {
  return { ...readResult(authored), ...readRecovery(authored, reading), ...readLeads(authored) };
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

/** The data that the parts of one workflow share while they are read. */
export interface Reading extends Reporting {
  readonly dialect: Dialect;
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
interface Importing {
  /** Contents of files, by their paths from the folder of the workflow; undefined leaves templates to an agent. */
  readonly files: Readonly<Record<string, Json>> | undefined;
  /** The workflow or template that is being read: its path, its imports, and the files that include it. */
  readonly path: string;
  readonly imports: Readonly<Record<string, unknown>>;
  readonly lock: Readonly<Record<string, unknown>>;
  readonly stack: readonly string[];
}

import type { Catcher, JitterStrategy, Recovers, Retrier } from '../definition/index.ts';
import { dialects } from '../dialect.ts';
import {
  jsonOf,
  numberOf,
  objectOf,
  pathOf,
  type Placed,
  type Reading,
  records,
  texts,
  textOf,
} from './fields.ts';

export function readRecovery(placed: Placed, reading: Reading): Recovers {
  return {
    Retry: records(placed, 'Retry', reading).map((retrier) => readRetrier(retrier, reading)),
    Catch: records(placed, 'Catch', reading).map((catcher) => readCatcher(catcher, reading)),
  };
}

function readRetrier(placed: Placed, reading: Reading): Retrier {
  const { value: fields, at } = placed;
  return {
    ErrorEquals: texts(placed, 'ErrorEquals', reading),
    IntervalSeconds: numberOf(fields['IntervalSeconds']) ?? 1,
    MaxAttempts: numberOf(fields['MaxAttempts']) ?? 3,
    BackoffRate: numberOf(fields['BackoffRate']) ?? 2,
    MaxDelaySeconds: numberOf(fields['MaxDelaySeconds']) ?? numberOf(fields['MaxIntervalSeconds']),
    JitterStrategy: readJitter(fields['JitterStrategy']),
    at,
    authored: fields,
  };
}

/** Tutorial 11 of Agent State Language writes it in small letters. */
function readJitter(written: unknown): JitterStrategy {
  const word = textOf(written)?.toUpperCase();
  return word === 'FULL' || word === 'DECORRELATED' ? word : 'NONE';
}

function readCatcher(placed: Placed, reading: Reading): Catcher {
  const { value: fields, at } = placed;
  return {
    ErrorEquals: texts(placed, 'ErrorEquals', reading),
    Next: textOf(fields['Next']) ?? '',
    ResultPath: pathOf(fields['ResultPath'], dialects[reading.dialect].catchResultPath),
    Output: jsonOf(fields['Output']),
    Assign: objectOf(fields['Assign']),
    at,
    authored: fields,
  };
}

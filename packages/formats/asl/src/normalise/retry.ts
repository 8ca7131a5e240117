import type { Catcher, JitterStrategy, HasRecovery, Retrier } from '../definition/index.ts';
import { dialects } from '../dialect.ts';
import type { Part } from '../authored.ts';
import {
  optionalJson,
  optionalNumber,
  optionalObject,
  readPath,
  readObjects,
  readTexts,
  optionalString,
} from './fields.ts';
import type { Reading } from './reading.ts';

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

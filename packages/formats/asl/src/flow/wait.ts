import type { Json } from '@dramaturg/compiler';
import { StatesError } from '../data/states-error.ts';
import { parseTimestamp } from '../data/timestamp.ts';
import type { Dialect, ValueSource, Wait } from '../definition/index.ts';
import { compileValueSource } from './value-source.ts';
import type { Run } from './run.ts';

/** The slice of the program that a Wait owns. */
export interface WaitProgram {
  /**
   * When the Wait ends, in milliseconds since 1970 UTC. A moment in the past ends it immediately.
   *
   * @throws StatesError States.Runtime when the value is not a duration or a timestamp
   */
  readonly waitUntil: (run: Run, selected: Json) => number;
}

/** Spec: Agent 2 §Wait State, Amazon #wait-state */
export function compileWait(state: Wait, dialect: Dialect): WaitProgram {
  const until = compileUntil(state, dialect);
  return {
    waitUntil(run, selected) {
      const moment = until(run, selected);
      if (moment - run.world.now() <= longestWait) return moment;
      throw new StatesError('States.Runtime', 'Wait state delay is too long.');
    },
  };
}

/** The limit of AWS: as many seconds as a signed 32-bit integer holds. */
const longestWait = (2 ** 31 - 1) * 1000;

function compileUntil(state: Wait, dialect: Dialect): (run: Run, selected: Json) => number {
  if (state.Seconds) {
    const { Seconds: given } = state;
    const seconds = compileValueSource(given, dialect, 'Seconds');
    return (run, selected) => run.world.now() + toSeconds(seconds(run, selected), given) * 1000;
  }
  const { Timestamp: given } = state;
  if (!given) return (run) => run.world.now();
  const timestamp = compileValueSource(given, dialect, 'Timestamp');
  return (run, selected) => toMoment(timestamp(run, selected), given);
}

/** Amazon's longest wait: three years. AWS "Wait state" */
const mostSeconds = 99_999_999;

function toSeconds(value: Json, given: ValueSource): number {
  const seconds = typeof value === 'number' ? value : NaN;
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= mostSeconds) return seconds;
  throw unreadable('Seconds', 'cannot be parsed as a long value', value, given);
}

function toMoment(value: Json, given: ValueSource): number {
  const moment = typeof value === 'string' ? parseTimestamp(value) : undefined;
  if (moment !== undefined) return moment;
  throw unreadable('Timestamp', 'cannot be parsed as a timestamp', value, given);
}

function unreadable(field: string, because: string, value: Json, given: ValueSource): StatesError {
  const shown = JSON.stringify(value).slice(0, 200);
  if ('expression' in given) {
    return new StatesError(
      'States.QueryEvaluationError',
      `The JSONata expression '${given.expression.slice(2, -2).trim()}' specified for the field '${field}' ${because}: ${shown}`,
    );
  }
  const source = 'path' in given ? `${field}Path parameter` : field;
  const found = 'path' in given ? `${given.path} == ${shown}` : shown;
  return new StatesError('States.Runtime', `The ${source} ${because}: ${found}`);
}

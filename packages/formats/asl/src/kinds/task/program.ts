import type { Json } from '@dramaturg/compiler';
import { StatesError } from '../../data/states-error.ts';
import type { Dialect, ValueSource } from '../../definition/index.ts';
import { mostSeconds } from '../../definition/field.ts';
import type { Task } from './definition.ts';
import { type CacheProgram, compileCache } from '../../flow/cache.ts';
import { compileContext, type ContextProgram } from '../../behaviour/context-window.ts';
import { compileGuardrails, type GuardrailsProgram } from '../../behaviour/guardrails.ts';
import type { Run } from '../../flow/run.ts';
import { compileTools, type ToolsProgram } from '../../flow/tools.ts';
import {
  compileKeySource,
  compileOptionalSource,
  type ValueReader,
} from '../../flow/value-source.ts';
import { compileMemory, type MemoryProgram } from '../memory/program.ts';

/** Milliseconds that a task may take and may stay silent; undefined means no limit. */
interface TimeLimits {
  readonly timeout: number | undefined;
  readonly heartbeat: number | undefined;
}

/** The slice of the program that a Task owns, with those of its blocks. */
export interface TaskProgram
  extends
    Partial<CacheProgram>,
    Partial<ContextProgram>,
    Partial<GuardrailsProgram>,
    Partial<MemoryProgram>,
    Partial<ToolsProgram> {
  readonly timeLimits: (run: Run, selected: Json) => TimeLimits;
  readonly idempotencyKey?: ValueReader;
}

export function compileTask(state: Task, dialect: Dialect): TaskProgram {
  const { Cache: cache, Context: context, Idempotency: idempotency } = state;
  const { Guardrails: guardrails, Memory: memory, Tools: tools } = state;
  return {
    timeLimits: compileTimeLimits(state, dialect),
    ...(idempotency?.key && {
      idempotencyKey: compileKeySource(idempotency.key, dialect, 'IdempotencyKey'),
    }),
    ...(cache && compileCache(cache, dialect)),
    ...(context && compileContext(context, dialect)),
    ...(guardrails && compileGuardrails(guardrails)),
    ...(memory && compileMemory(memory, dialect)),
    ...(tools && compileTools(tools)),
  };
}

/**
 * Spec: Agent 2 §Task State, Amazon #timeouts
 *
 * @throws StatesError States.Runtime when a value is not a whole number of seconds above 0
 */
function compileTimeLimits(
  state: Task,
  dialect: Dialect,
): (run: Run, selected: Json) => TimeLimits {
  const timeout = compileSeconds(state.TimeoutSeconds, 'TimeoutSeconds', dialect);
  const heartbeat = compileSeconds(state.HeartbeatSeconds, 'HeartbeatSeconds', dialect);
  return (run, selected) => ({
    timeout: timeout(run, selected),
    heartbeat: heartbeat(run, selected),
  });
}

function compileSeconds(
  source: ValueSource<number> | undefined,
  field: string,
  dialect: Dialect,
): (run: Run, selected: Json) => number | undefined {
  const read = compileOptionalSource(source, dialect, field);
  if (!read || !source) return () => undefined;
  return (run, selected) => {
    const value = read(run, selected);
    const seconds = typeof value === 'number' && Number.isInteger(value) ? value : 0;
    if (seconds >= 1 && seconds <= mostSeconds) return seconds * 1000;
    const shown = JSON.stringify(value).slice(0, 200);
    throw new StatesError(
      'expression' in source ? 'States.QueryEvaluationError' : 'States.Runtime',
      `The ${field} of the task is ${shown}, not a whole number of seconds from 1 to 99,999,999.`,
    );
  };
}

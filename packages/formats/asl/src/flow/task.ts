import type { Json } from '@dramaturg/compiler';
import { StatesError } from '../data/states-error.ts';
import type { Dialect, Given, Task } from '../definition/index.ts';
import { compileOptionalGiven } from './given.ts';
import type { Run } from './run.ts';

/** How long a task may take and how long it may be silent, in milliseconds; undefined is for ever. */
export interface Limits {
  readonly timeout: number | undefined;
  readonly heartbeat: number | undefined;
}

/**
 * Spec: Agent 2 §Task State, Amazon #timeouts
 *
 * @throws StatesError States.Runtime when what was given is no number of seconds above 0
 */
export function compileLimits(state: Task, dialect: Dialect): (run: Run, selected: Json) => Limits {
  const timeout = compileSeconds(state.TimeoutSeconds, 'TimeoutSeconds', dialect);
  const heartbeat = compileSeconds(state.HeartbeatSeconds, 'HeartbeatSeconds', dialect);
  return (run, selected) => ({
    timeout: timeout(run, selected),
    heartbeat: heartbeat(run, selected),
  });
}

function compileSeconds(
  given: Given<number> | undefined,
  field: string,
  dialect: Dialect,
): (run: Run, selected: Json) => number | undefined {
  const read = compileOptionalGiven(given, dialect, field);
  if (!read || !given) return () => undefined;
  return (run, selected) => {
    const value = read(run, selected);
    if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value * 1000;
    const shown = JSON.stringify(value).slice(0, 200);
    throw new StatesError(
      'expression' in given ? 'States.QueryEvaluationError' : 'States.Runtime',
      `The ${field} of the task is ${shown}, not a whole number of seconds above 0.`,
    );
  };
}

/** How the answer to a task comes. Amazon #task-state, AWS "Service integration patterns" */
export type Completion =
  /** The call answers. */
  | 'answer'
  /** The call hands over a token; whoever has it completes the task. */
  | 'token'
  /** Nobody is called: a worker takes the task, and completes it with its token. */
  | 'activity';

export function completionOf({ Resource: resource }: Task): Completion {
  if (resource === undefined) return 'answer';
  if (resource.endsWith('.waitForTaskToken')) return 'token';
  return /^arn:[^:]*:states:[^:]*:[^:]*:activity:/.test(resource) ? 'activity' : 'answer';
}

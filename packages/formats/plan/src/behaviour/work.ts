import {
  type EventObject,
  isRecord,
  type Json,
  type JsonObject,
  type PortInput,
} from '@dramaturg/compiler';
import {
  callKey,
  errorMessage,
  filledInput,
  helpRequested,
  valuesAskedFor,
} from '@dramaturg/conversation';
import { collected, own } from '../context.ts';
import { end } from '../definition.ts';
import { internal } from '../names.ts';
import { coerce } from '../value.ts';
import { eventsOf, handOut, readUpdate, refuse } from './update.ts';
import {
  currentState,
  isCollected,
  type Place,
  type PlanActions,
  type PlanGuard,
  type PlanScope,
  type TaskMeta,
  taskStatus,
  undone,
} from './state.ts';
import { currentTasks } from './questions.ts';

/**
 * Tasks that an agent does, which may be another definition. Owns `work`, `works`, `tried` and `worked` of the context.
 * Spec: docs/formats/plan.md#agents
 */

/** The next task for an agent: its turn has come, and all values in its input are known. */
function workToDo(scope: Place): TaskMeta | undefined {
  const { context } = scope;
  if (context.state === end || context.handOver !== undefined) return undefined;
  return currentTasks(scope).find(
    ({ id, agent, input }) =>
      agent !== undefined &&
      own(context.tried ?? {}, id) === undefined &&
      valuesAskedFor(input).every(({ name }) => isCollected(context, name)),
  );
}

/** The task that an agent is working on. */
function taskAtWork(scope: Place): TaskMeta {
  return currentState(scope).tasks.find(({ id }) => id === scope.context.work)!;
}

/** The tasks of the state whose agents have failed, with the reasons. */
export function failedTasks({ context }: Pick<PlanScope, 'context'>): [string, string][] {
  return Object.entries(context.tried ?? {}).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
}

export const workActions = {
  beginWork: (scope) => {
    const { context } = scope;
    const { id, agent } = workToDo(scope)!;
    const tried = { ...context.tried, [id]: null };
    return {
      context: { work: id, works: (context.works ?? 0) + 1, addressed: context.state, tried },
      emit: [{ type: 'task.started', task: id, state: context.state, agent }],
    };
  },

  /** The values are recorded as usual, and then the task is done. */
  takeWork: (scope) => {
    const { result } = scope.event['output'] as { readonly result: Json };
    const task = taskAtWork(scope);
    const found = task.deliverables.map((one) => {
      const value = resultFor(one.key, result, task);
      const coerced = value === undefined ? undefined : coerce(value, one);
      return { one, value, problem: coerced?.fits === false ? coerced.because : undefined };
    });
    const wrong = found.find(({ one, value, problem }) =>
      value === undefined ? one.required : problem !== undefined,
    );
    if (wrong) {
      const { one, problem = 'the result does not have it' } = wrong;
      return failed(scope, task, `"${one.key}": ${problem}.`);
    }
    const values = found.flatMap(({ one, value }) =>
      value === undefined ? [] : [[one.key, value]],
    );
    const update = readUpdate({ deliverables: Object.fromEntries(values), complete: [task.id] });
    const begun = { noted: 'nothing', worked: true } as const;
    const { context, ...effects } = handOut(
      { ...scope, context: { ...scope.context, ...begun } },
      eventsOf(scope, update),
      { type: internal.end, of: 'work' },
    );
    return { ...effects, context: { ...begun, ...context } };
  },

  takeFailedWork: (scope) => failed(scope, taskAtWork(scope), reasonIn(scope.event)),

  askForPerson: (scope) => {
    const reason = failureOf(scope)!;
    return {
      context: { handOver: reason },
      emit: [helpRequested(reason, scope.context.state)],
    };
  },
} satisfies PlanActions;

/** The result of a conversation has its values in `deliverables`. */
function resultFor(key: string, result: Json, { results = {} }: TaskMeta): Json | undefined {
  const path = own(results, key)?.split('.');
  const at = (steps: readonly string[]) =>
    steps.reduce<unknown>(
      (part, step) =>
        typeof part === 'object' ? own((part ?? {}) as JsonObject, step) : undefined,
      result,
    );
  const value = path ? at(path) : (at([key]) ?? at(['deliverables', key]));
  return (value ?? undefined) as Json | undefined;
}

/** An agent fails with an error of its own, a definition with the cause of its end. */
function reasonIn(event: EventObject): string {
  const { cause } = (event['error'] ?? {}) as { readonly cause?: unknown };
  if (cause instanceof Error) return cause.message;
  return isRecord(cause) && typeof cause['cause'] === 'string'
    ? cause['cause']
    : errorMessage(event);
}

/** Records the failure. A transition may lead on. If none does, an optional task is skipped, and a required one needs a person. */
function failed(scope: PlanScope, { id, agent, required }: TaskMeta, because: string) {
  const { context } = scope;
  const skip: EventObject[] = required ? [] : [{ type: internal.skip, task: id }];
  const refusal = refuse(context, id, because, { isDone: false });
  const tried = { ...context.tried, [id]: because };
  return {
    context: { ...refusal.context, noted: 'progress' as const, worked: true as const, tried },
    raise: [...skip, { type: internal.evaluate }],
    emit: [{ type: 'task.failed', task: id, state: context.state, agent, because }],
  };
}

function failureOf(scope: Place): string | undefined {
  const { handOver, worked } = scope.context;
  if (handOver !== undefined || worked === undefined) return undefined;
  const open = undone(scope, currentState(scope).tasks).filter(({ required }) => required);
  return failedTasks(scope).find(([task]) => open.some(({ id }) => id === task))?.[1];
}

export const workGuards = {
  hasWork: (scope) => workToDo(scope) !== undefined,
  /** An update has done the task since the call was made, or has moved the plan. */
  isWorkObsolete: ({ context }) =>
    context.addressed !== context.state ||
    taskStatus(context, context.state, context.work!) !== undefined,
  /** A required task has failed, and no transition has led on. */
  needsPerson: (scope) => failureOf(scope) !== undefined,
} satisfies Readonly<Record<string, PlanGuard>>;

export function work(scope: PlanScope): PortInput<'runAgent'> {
  const { context } = scope;
  const { agent, input } = taskAtWork(scope);
  return {
    key: callKey(context, 'work', context.works ?? 0),
    agent: agent!,
    input: filledInput(input, collected(context)),
  };
}

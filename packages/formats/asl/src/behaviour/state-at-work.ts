import type { EventObject, Json, PortInput } from '@dramaturg/compiler';
import type { Action, Effects, Guard, InputMaker, Scope } from '@dramaturg/compiler/format';
import type { World } from '@dramaturg/compiler/machine';
import {
  type Progress,
  progressOf,
  retriesOf,
  type Visit,
  visitOf,
  type WorkflowContext,
} from '../context.ts';
import { StatesError } from '../data/states-error.ts';
import { Work } from '../data/work.ts';
import type { WorkflowBudget } from '../definition/budget.ts';
import type { ProgressWeights, ReportingParallel } from '../definition/state.ts';
import { dialects } from '../dialect.ts';
import { type Consumption, describeConsumption } from '../flow/budget.ts';
import { checkDataLimit, errorOutput, failureFrom } from '../flow/data-flow.ts';
import type { Occasion } from '../flow/progress.ts';
import { limitReached } from '../flow/retry.ts';
import { contextObject, type Failure, type Run } from '../flow/run.ts';
import { showsToken, type Task, type TaskVisit } from '../kinds/task/definition.ts';
import { auditEvents, redactEvents } from './audit.ts';
import { budgetOf, type Program, programOf, shareOf } from './program.ts';

/** How deep a chain of causes is searched for the original error. */
const causesMax = 5;

/**
 * The failure in an error of a port. An error with a string in `error` has its own name and `cause`; any other is
 * `States.TaskFailed` with its message. Agent 8 §Custom errors, Amazon #errors. A call that exceeds a limit of the host
 * is always `States.LimitReached`, and a call that the host has given up is `States.Timeout`.
 */
export function failureOf(thrown: unknown): Failure {
  const code = (thrown as { code?: unknown } | null)?.code;
  if (code === 'port/limit-reached') return { error: limitReached, cause: messageOf(thrown) };
  if (code === 'port/timed-out') return { error: 'States.Timeout', cause: messageOf(thrown) };
  let at = thrown;
  for (let depth = 0; depth < causesMax && at instanceof Object; depth += 1) {
    const { error, cause } = at as { error?: unknown; cause?: unknown };
    if (typeof error === 'string') {
      return { error, cause: typeof cause === 'string' ? cause : messageOf(at) };
    }
    at = cause;
  }
  const first = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  return { error: 'States.TaskFailed', cause: messageOf(first) };
}

function messageOf(thrown: unknown): string | null {
  const { message } = Object(thrown) as { message?: unknown };
  if (typeof message === 'string') return message;
  return typeof thrown === 'string' ? thrown : null;
}

/**
 * The idempotency key of a port call: the execution, the items around the actor, the machine, the number of the step,
 * and the attempt. A call that is repeated after a crash has the same key. No two calls of a workflow share one.
 */
export function callKey(context: WorkflowContext, machine: string, call: string): string {
  return `${context.execution.id}${visitKey(context, machine)}/${call}`;
}

/** Names a visit of a state within its execution. Runs that take the same path have the same keys. */
export function visitKey(context: WorkflowContext, machine: string): string {
  const { steps, visit, parentVisit } = progressOf(context, machine);
  const attempt = visit ? retriesOf(visit) : 0;
  const place = context.place.length === 0 ? '' : `/${context.place.join('/')}`;
  const parent = parentVisit === undefined ? '' : `/${parentVisit}`;
  return `${place}/${machine}${parent}/${steps}/${attempt}`;
}

/** The `parentVisit` of the machines within a state. Calls of the same machine in two visits have different keys. */
export function parentVisitOf(context: WorkflowContext, machine: string, steps: number): string {
  const { visit, parentVisit } = progressOf(context, machine);
  const own = `${steps}.${visit ? retriesOf(visit) : 0}`;
  return parentVisit === undefined ? own : `${parentVisit}.${own}`;
}

export type WorkflowScope = Scope<WorkflowContext>;

export interface MachineParams {
  readonly machine: string;
}

/** The state that an action is about, and its machine. */
export interface StateParams extends MachineParams {
  /** Id of the state's node. */
  readonly state: string;
  /** Id of the node with the workflow's budget and progress weights, if it has any. */
  readonly root?: string;
  /** The Parallel that reports the progress of this branch. */
  readonly within?: ReportingParallel;
}

export type StateAction<Event = unknown> = Action<WorkflowContext, Event, StateParams>;
export type StateInputMaker = InputMaker<WorkflowContext, unknown, StateParams>;

/** A guard that only reads the visit. */
export function visitGuard<Slice extends object>(
  holds: (visit: Visit & Partial<Slice>) => boolean,
): Guard<WorkflowContext, unknown, MachineParams> {
  return ({ context }, { machine }) => holds(visitOf<Slice>(progressOf(context, machine)));
}

/**
 * The state that an action works on: its program, its progress, and what actions of all kinds do with them.
 *
 * @typeParam Slice the slice of the program that the behaviour uses
 */
export class StateAtWork<Slice extends object = object> {
  readonly program: Program & Slice;
  readonly progress: Progress;
  readonly scope: WorkflowScope;
  readonly machine: string;
  /** The Parallel that reports the progress of this branch. */
  readonly parallel: ReportingParallel | undefined;
  /** The work of the state's expressions. */
  readonly #work = new Work();
  readonly #root: string | undefined;
  /** Id of the state's node. */
  readonly #id: string;

  constructor(scope: WorkflowScope, params: StateParams) {
    const { state, machine, root } = params;
    this.program = programOf(scope, state) as Program & Slice;
    this.progress = progressOf(scope.context, machine);
    this.scope = scope;
    this.machine = machine;
    this.parallel = params.within;
    this.#root = root;
    this.#id = state;
  }

  get context(): WorkflowContext {
    return this.scope.context;
  }

  get world(): World {
    return this.scope.world;
  }

  get name(): string {
    return this.program.state.name;
  }

  /** The budget of the workflow. */
  get budget(): WorkflowBudget | undefined {
    return this.#root === undefined ? undefined : budgetOf(this.scope, this.#root);
  }

  /** Whether leaving the state may change the progress of the workflow or of a Parallel. */
  get mayReportShare(): boolean {
    return this.parallel !== undefined || this.#root !== undefined;
  }

  /** The weights of the workflow's states, when it reports progress; undefined in branches and items. */
  get share(): ProgressWeights | undefined {
    return this.#root === this.machine ? shareOf(this.scope, this.machine) : undefined;
  }

  /** The circuit breaker for calls of agents, if the workflow has one. */
  get circuit(): { readonly circuit?: NonNullable<PortInput<'runAgent'>['circuit']> } {
    const found =
      this.#root === undefined ? undefined : this.scope.meta.get(this.#root)?.['circuit'];
    return found === undefined ? {} : { circuit: found as never };
  }

  /** Milliseconds since the workflow began. */
  elapsed(): number {
    return this.scope.world.now() - this.context.execution.startedAt;
  }

  budgetFailure(consumption: Consumption): Failure {
    const used = describeConsumption(this.budget!, consumption);
    return { error: 'States.BudgetExceeded', cause: `The budget is used up: ${used}.` };
  }

  /** The inputs of the state's expressions. */
  run(progress: Progress): Run {
    const { context, world } = this.scope;
    const { program } = this;
    return {
      dialect: program.dialect,
      missing: program.missing,
      input: progress.input,
      variables: progress.variables,
      world,
      work: this.#work,
      context: (item = context.item) =>
        contextObject(
          context.execution,
          visibleVisit(progress, program),
          item,
          progress.usage,
          context.child,
        ),
    };
  }

  /** Evaluates expressions of the state. An error in one of them becomes the failure of the state. */
  attempt(progress: Progress, work: () => Effects<WorkflowContext>): Effects<WorkflowContext> {
    try {
      const { dialect } = this.program;
      if (progress.steps > dialects[dialect].stepLimit) throw tooManySteps(progress);
      // Later data is checked where a state produces it.
      if (progress.steps === 1) checkDataLimit(progress.input, dialect, this.name);
      return work();
    } catch (thrown) {
      return this.effects({ ...progress, failure: failureFrom(thrown, this.program.dialect) });
    }
  }

  effects(given: Progress, emit: readonly EventObject[] = []): Effects<WorkflowContext> {
    const progress = this.placed(given);
    const hasJustFailed = progress.failure !== undefined && this.progress.failure === undefined;
    const events = hasJustFailed
      ? [
          ...(this.#mayRecover ? [] : this.failed(progress)),
          ...this.authoredEvents(
            'OnError',
            progress,
            errorOutput(progress.failure, this.program.dialect),
          ),
          ...auditEvents(this, progress, { error: progress.failure.error }),
        ]
      : [];
    const all = events.length > 0 ? [...emit, ...events] : emit;
    return { context: { [this.machine]: progress }, emit: this.shown(all) };
  }

  /** A failure keeps the state in which it first happened: that of a branch or an item, not of the state around it. */
  placed(progress: Progress): Progress {
    const { failure } = progress;
    if (!failure || failure.at) return progress;
    const at = { node: this.#id, place: this.context.place };
    return { ...progress, failure: { ...failure, at } };
  }

  /** Whether `recover` follows a failure. */
  get #mayRecover(): boolean {
    const { Retry: retriers = [], Catch: catchers = [] } = this.program.state;
    return retriers.length + catchers.length > 0;
  }

  /** The event of a failure that nothing in the state handles. A failure in a branch or an item was reported there. */
  failed({ failure }: Progress): EventObject[] {
    const { error, cause, at } = failure!;
    return at?.node === this.#id ? [{ type: 'state.failed', ...this.where(), error, cause }] : [];
  }

  /** The events without the data that the workflow redacts. */
  shown(events: readonly EventObject[]): readonly EventObject[] {
    return redactEvents(this.scope, this.#root, events);
  }

  /** The event that the definition emits on an occasion, if any. Agent 9 §Events */
  authoredEvents(occasion: Occasion, progress: Progress, data: Json): EventObject[] {
    const event = this.program.events?.(occasion, this.run(progress), data);
    return event ? [{ type: 'event.told', ...this.where(), ...event }] : [];
  }

  /** The fields that name the state in events; `place` has the indexes of the items around it. */
  where(): { state: string; place?: readonly number[] } {
    const { place } = this.scope.context;
    return place.length > 0 ? { state: this.name, place } : { state: this.name };
  }
}

function visibleVisit(progress: Progress, { state, dialect }: Program) {
  const visit = visitOf<TaskVisit>(progress);
  // If the agent answers the task, the token is only for heartbeats, and only the agent has it.
  const isShown = state.Type === 'Task' && showsToken(state as Task);
  const isCounted = 'Retry' in state || dialects[dialect].retriesAlwaysShown;
  return {
    state: progress.state,
    enteredAt: progress.enteredAt,
    retryCount: isCounted ? retriesOf(visit) : undefined,
    token: isShown ? visit.token : undefined,
  };
}

function tooManySteps({ steps }: Progress): StatesError {
  return new StatesError(
    'States.StepLimitExceeded',
    `The workflow has entered ${steps - 1} states without reaching its end. Is there an endless loop?`,
  );
}

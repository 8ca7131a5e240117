import type {
  Action,
  Effects,
  EventObject,
  InputMaker,
  Json,
  Scope,
  World,
} from '@dramaturg/compiler';
import {
  type Progress,
  progressOf,
  retriesOf,
  type Visit,
  type WorkflowContext,
} from '../context.ts';
import { StatesError } from '../data/states-error.ts';
import type { Leads, State, WorkflowBudget } from '../definition/index.ts';
import type { Done, Share, Within } from '../definition/progress.ts';
import { dialects } from '../dialect.ts';
import { describe, type Standing } from '../flow/budget.ts';
import { errorOutput } from '../flow/data-flow.ts';
import type { Occasion } from '../flow/state-events.ts';
import { contextObject } from '../flow/context-object.ts';
import { withinLimit, withinVariableLimits } from '../flow/data-limit.ts';
import { type Failure, failureFrom, type Outcome, type Run } from '../flow/run.ts';
import type { Usage } from '../flow/usage.ts';
import { budgetOf, type Program, programOf, shareOf } from './program.ts';
import { reportEntering, reportLeaving } from './progress.ts';

export type WorkflowScope = Scope<WorkflowContext>;

export interface MachineParams {
  readonly machine: string;
}

/** Which state an action concerns, and which machine it belongs to. */
export interface StateParams extends MachineParams {
  /** Id of the state's node. */
  readonly state: string;
  /** Id of the node that has the workflow's budget and what is told of its progress, if there is such. */
  readonly root?: string;
  /** The Parallel that tells how far this branch of it is. */
  readonly within?: Within;
}

export type StateAction<Event = unknown> = Action<WorkflowContext, Event, StateParams>;
export type StateInputMaker = InputMaker<WorkflowContext, unknown, StateParams>;

/** A state at work: what the actions of all types of states have in common. */
export class StateAtWork {
  readonly program: Program;
  readonly progress: Progress;
  readonly scope: WorkflowScope;
  readonly machine: string;
  readonly within: Within | undefined;
  readonly #root: string | undefined;

  constructor(scope: WorkflowScope, params: StateParams) {
    const { state, machine, root } = params;
    this.program = programOf(scope, state);
    this.progress = progressOf(scope.context, machine);
    this.scope = scope;
    this.machine = machine;
    this.within = params.within;
    this.#root = root;
  }

  get context(): WorkflowContext {
    return this.scope.context;
  }

  /** The workflow's. */
  get budget(): WorkflowBudget | undefined {
    return this.#root === undefined ? undefined : budgetOf(this.scope, this.#root);
  }

  /** Somebody may want to know how much of the whole is done. */
  get tellsShare(): boolean {
    return this.within !== undefined || this.#root !== undefined;
  }

  /** How much of the workflow its states are, when that is told; branches and items are not counted. */
  get share(): Share | undefined {
    return this.#root === this.machine ? shareOf(this.scope, this.machine) : undefined;
  }

  /** The branches or items of the state tell how far it is. */
  hasParts({ visit }: Progress): boolean {
    const { Type: type } = this.program.state;
    return type === 'Parallel' || (type === 'Map' && (visit?.map?.inputs.length ?? 0) > 0);
  }

  /** Milliseconds since the workflow began. */
  elapsed(): number {
    return this.scope.world.now() - this.context.execution.startedAt;
  }

  budgetFailure(standing: Standing): Failure {
    const used = describe(this.budget!, standing);
    return { error: 'States.BudgetExceeded', cause: `The budget is used up: ${used}.` };
  }

  get world(): World {
    return this.scope.world;
  }

  get name(): string {
    return this.program.state.name;
  }

  /** The progress with which the state begins. */
  entered(): Progress {
    const { input, variables, steps, usage, done, within: round } = this.progress;
    const enteredAt = this.scope.world.now();
    const progress = { input, variables, state: this.name, enteredAt, steps: steps + 1 };
    return carrying(progress, round, usage, done);
  }

  /** What the state's expressions are evaluated with. */
  run(progress: Progress): Run {
    const { context, world } = this.scope;
    const { program } = this;
    return {
      dialect: program.dialect,
      input: progress.input,
      variables: progress.variables,
      world,
      context: (item = context.item) =>
        contextObject(context.execution, shownVisit(progress, program), item, progress.usage),
    };
  }

  /** Evaluates something of the state; an error of an expression is the state's failure. */
  attempt(progress: Progress, work: () => Effects<WorkflowContext>): Effects<WorkflowContext> {
    try {
      const { dialect } = this.program;
      if (progress.steps > dialects[dialect].stepLimit) throw tooManySteps(progress);
      // Later data are looked at where they are made.
      if (progress.steps === 1) withinLimit(progress.input, dialect, this.name);
      return work();
    } catch (thrown) {
      return this.effects({ ...progress, failure: failureFrom(thrown) });
    }
  }

  /** The state hands on its output. */
  left(progress: Progress, outcome: Outcome, way?: number): Effects<WorkflowContext> {
    const { output, variables, assigned } = outcome;
    const { dialect } = this.program;
    if (output !== progress.input) withinLimit(output, dialect, this.name);
    if (assigned) withinVariableLimits(assigned, variables, dialect, this.name);
    const { state, enteredAt, steps, usage, within: round } = progress;
    const { End: isLast, Type: type } = this.program.state as Partial<Leads> & State;
    const isEnd = type === 'Succeed' || (isLast === true && way === undefined);
    const { done, told } = reportLeaving(this, progress, output, isEnd);
    const kept = { input: output, variables, state, enteredAt, steps };
    const next = carrying(kept, round, usage, done);
    const exited = { type: 'state.exited', ...this.where(), output };
    const isAssigned = assigned !== undefined && Object.keys(assigned).length > 0;
    return this.effects(way === undefined ? next : { ...next, way }, [
      isAssigned ? { ...exited, assigned } : exited,
      ...this.told('OnExit', progress, output),
      ...told,
    ]);
  }

  effects(progress: Progress, emit: readonly EventObject[] = []): Effects<WorkflowContext> {
    const hasJustFailed = progress.failure !== undefined && this.progress.failure === undefined;
    const told = hasJustFailed ? this.told('OnError', progress, errorOutput(progress.failure)) : [];
    return {
      context: { [this.machine]: progress },
      emit: told.length > 0 ? [...emit, ...told] : emit,
    };
  }

  /** What the definition has the state tell. Agent 9 §Events */
  told(occasion: Occasion, progress: Progress, data: Json): EventObject[] {
    const event = this.program.events?.(occasion, this.run(progress), data);
    return event ? [{ type: 'event.told', ...this.where(), ...event }] : [];
  }

  enteredEvent(input: Json): EventObject {
    return { type: 'state.entered', ...this.where(), kind: this.program.state.Type, input };
  }

  /** What names the state in events: `place` has the indexes of the items within which it works. */
  where(): { state: string; place?: readonly number[] } {
    const { place } = this.scope.context;
    return place.length > 0 ? { state: this.name, place } : { state: this.name };
  }
}

/** With what goes on from state to state, where there is any: most have none, and each entry costs a state its time. */
function carrying(
  progress: Progress,
  round: string | undefined,
  usage: Usage | undefined,
  done: Done | undefined,
): Progress {
  const carried = round === undefined ? progress : { ...progress, within: round };
  return usage || done ? { ...carried, ...(usage && { usage }), ...(done && { done }) } : carried;
}

/** Emits that a state is entered before whatever else its action emits. */
export function entering(
  scope: WorkflowScope,
  params: StateParams,
  work: (state: StateAtWork, progress: Progress) => Effects<WorkflowContext>,
): Effects<WorkflowContext> {
  const state = new StateAtWork(scope, params);
  const progress = state.entered();
  const effects = state.attempt(progress, () => work(state, progress));
  const told = state.told('OnEnter', progress, progress.input);
  return {
    ...effects,
    emit: [
      state.enteredEvent(progress.input),
      ...told,
      ...reportEntering(state, progress),
      ...(effects.emit ?? []),
    ],
  };
}

/** Goes on in a state that has been entered before. */
export function within(
  scope: WorkflowScope,
  params: StateParams,
  work: (state: StateAtWork, progress: Progress) => Effects<WorkflowContext>,
): Effects<WorkflowContext> {
  const state = new StateAtWork(scope, params);
  return state.attempt(state.progress, () => work(state, state.progress));
}

export function visitOf(progress: Progress): Visit {
  return progress.visit ?? { attempts: [] };
}

function shownVisit(progress: Progress, { state, dialect }: Program) {
  const visit = visitOf(progress);
  const isCounted = 'Retry' in state || dialects[dialect].retriesAlwaysShown;
  return {
    state: progress.state,
    enteredAt: progress.enteredAt,
    retryCount: isCounted ? retriesOf(visit) : undefined,
    token: visit.token,
  };
}

function tooManySteps({ steps }: Progress): StatesError {
  return new StatesError(
    'States.StepLimitExceeded',
    `The workflow has entered ${steps - 1} states without coming to its end. Does it go round in a circle?`,
  );
}

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
import type { WorkflowBudget } from '../definition/index.ts';
import { dialects } from '../dialect.ts';
import { describe, type Standing } from '../flow/budget.ts';
import { errorOutput } from '../flow/data-flow.ts';
import type { Occasion } from '../flow/state-events.ts';
import { contextObject } from '../flow/context-object.ts';
import { withinLimit } from '../flow/data-limit.ts';
import { type Failure, failureFrom, type Outcome, type Run } from '../flow/run.ts';
import { budgetOf, type Program, programOf } from './program.ts';

export type WorkflowScope = Scope<WorkflowContext>;

/** Which state an action concerns, and which machine it belongs to. */
export interface StateParams {
  /** Id of the state's node. */
  readonly state: string;
  readonly machine: string;
  /** Id of the node that has the workflow's budget, if there is one. */
  readonly root?: string;
}

export type StateAction<Event = unknown> = Action<WorkflowContext, Event, StateParams>;
export type StateInputMaker = InputMaker<WorkflowContext, unknown, StateParams>;

/** A state at work: what the actions of all types of states have in common. */
export class StateAtWork {
  readonly program: Program;
  readonly progress: Progress;
  readonly #scope: WorkflowScope;
  readonly #machine: string;
  readonly #root: string | undefined;

  constructor(scope: WorkflowScope, { state, machine, root }: StateParams) {
    this.program = programOf(scope, state);
    this.progress = progressOf(scope.context, machine);
    this.#scope = scope;
    this.#machine = machine;
    this.#root = root;
  }

  get context(): WorkflowContext {
    return this.#scope.context;
  }

  /** The workflow's. */
  get budget(): WorkflowBudget | undefined {
    return this.#root === undefined ? undefined : budgetOf(this.#scope, this.#root);
  }

  /** Milliseconds since the workflow began. */
  elapsed(): number {
    return this.#scope.world.now() - this.context.execution.startedAt;
  }

  budgetFailure(standing: Standing): Failure {
    const used = describe(this.budget!, standing);
    return { error: 'States.BudgetExceeded', cause: `The budget is used up: ${used}.` };
  }

  get world(): World {
    return this.#scope.world;
  }

  get name(): string {
    return this.program.state.name;
  }

  /** The progress with which the state begins. */
  entered(): Progress {
    const { input, variables, steps, usage, within: round } = this.progress;
    return {
      input,
      variables,
      ...(round !== undefined && { within: round }),
      state: this.name,
      enteredAt: this.#scope.world.now(),
      steps: steps + 1,
      ...(usage && { usage }),
    };
  }

  /** What the state's expressions are evaluated with. */
  run(progress: Progress): Run {
    const { context, world } = this.#scope;
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
    if (output !== progress.input) withinLimit(output, this.program.dialect, this.name);
    const { state, enteredAt, steps, usage, within: round } = progress;
    const next: Progress = {
      input: output,
      variables,
      ...(round !== undefined && { within: round }),
      state,
      enteredAt,
      steps,
      ...(usage && { usage }),
    };
    return this.effects(way === undefined ? next : { ...next, way }, [
      {
        type: 'state.exited',
        ...this.where(),
        output,
        ...(assigned && Object.keys(assigned).length > 0 && { assigned }),
      },
      ...this.told('OnExit', progress, output),
    ]);
  }

  effects(progress: Progress, emit: readonly EventObject[] = []): Effects<WorkflowContext> {
    const hasJustFailed = progress.failure !== undefined && this.progress.failure === undefined;
    const told = hasJustFailed ? this.told('OnError', progress, errorOutput(progress.failure)) : [];
    return {
      context: { [this.#machine]: progress },
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
    const { place } = this.#scope.context;
    return place.length > 0 ? { state: this.name, place } : { state: this.name };
  }
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
    emit: [state.enteredEvent(progress.input), ...told, ...(effects.emit ?? [])],
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
  return {
    state: progress.state,
    enteredAt: progress.enteredAt,
    retryCount: 'Retry' in state || dialect === 'agent' ? retriesOf(visit) : undefined,
    token: visit.token,
  };
}

function tooManySteps({ steps }: Progress): StatesError {
  return new StatesError(
    'States.StepLimitExceeded',
    `The workflow has entered ${steps - 1} states without coming to its end. Does it go round in a circle?`,
  );
}

import type { Effects } from '@dramaturg/compiler/format';
import { type Progress, progressOf, visitOf, type WorkflowContext } from '../context.ts';
import type { HasNext, State } from '../definition/index.ts';
import type { CompletedStates } from '../definition/progress.ts';
import type { Task } from '../kinds/task/definition.ts';
import type { BudgetVisit } from '../flow/budget.ts';
import { checkDataLimit, checkVariableLimits } from '../flow/data-limit.ts';
import type { Outcome } from '../flow/run.ts';
import type { Usage } from '../flow/usage.ts';
import { auditEvents } from './audit.ts';
import { reportEntering, reportLeaving } from './progress.ts';
import { StateAtWork, type StateParams, type WorkflowScope } from './state-at-work.ts';

type Work<Slice extends object> = (
  state: StateAtWork<Slice>,
  progress: Progress,
) => Effects<WorkflowContext>;

/** Begins a visit of a state. `state.entered` is emitted before the events of `work`. */
export function enterState<Slice extends object = object>(
  scope: WorkflowScope,
  params: StateParams,
  work: Work<Slice>,
): Effects<WorkflowContext> {
  const state = new StateAtWork<Slice>(scope, params);
  const progress = enteredProgress(state);
  const { input } = progress;
  const effects = state.attempt(progress, () => work(state, progress));
  const entered = {
    type: 'state.entered',
    ...state.where(),
    kind: state.program.state.Type,
    input,
    ...limitsOf(state.program.state),
  };
  return {
    ...effects,
    emit: [
      ...state.shown([entered, ...state.authoredEvents('OnEnter', progress, input)]),
      ...reportEntering(state, progress),
      ...(effects.emit ?? []),
    ],
  };
}

/** The limits of a task that the definition states as numbers. */
function limitsOf(state: State) {
  const { TimeoutSeconds: timeout, HeartbeatSeconds: heartbeat } = state as Partial<Task>;
  return {
    ...(timeout && 'value' in timeout && { timeoutSeconds: timeout.value }),
    ...(heartbeat && 'value' in heartbeat && { heartbeatSeconds: heartbeat.value }),
  };
}

/** Continues a visit. */
export function continueState<Slice extends object = object>(
  scope: WorkflowScope,
  params: StateParams,
  work: Work<Slice>,
): Effects<WorkflowContext> {
  const state = new StateAtWork<Slice>(scope, params);
  return state.attempt(state.progress, () => work(state, state.progress));
}

/**
 * Prepares the work of a state: when it is entered, and again before every retry, because the input may contain the
 * number of retries.
 */
export function prepareState<Slice extends object = object>(
  scope: WorkflowScope,
  params: StateParams,
  prepare: Work<Slice>,
): Effects<WorkflowContext> {
  const { visit } = progressOf(scope.context, params.machine);
  // Only a visit that pauses before a retry is kept: the next state begins without one.
  if (visit?.until === undefined) return enterState(scope, params, prepare);
  return continueState<Slice>(scope, params, (state, progress) => {
    const { failure: _, ...tried } = progress;
    return prepare(state, { ...tried, visit: retriedVisit(progress) });
  });
}

/** The part of a visit that outlasts a retry. */
export function retriedVisit(progress: Progress) {
  const { attempts, delay, used, timesAsked } = visitOf<BudgetVisit>(progress);
  return {
    attempts,
    ...(delay !== undefined && { delay }),
    ...(used && { used }),
    ...(timesAsked !== undefined && { timesAsked }),
  };
}

/** Ends a visit with its outcome. */
export function leaveState(
  state: StateAtWork,
  progress: Progress,
  { output, variables, assigned }: Outcome,
  way?: number,
): Effects<WorkflowContext> {
  const { dialect } = state.program;
  if (output !== progress.input) checkDataLimit(output, dialect, state.name);
  if (assigned) checkVariableLimits(assigned, variables, dialect, state.name);
  const { enteredAt, steps, usage, parentVisit } = progress;
  const { End: isLast, Type: type } = state.program.state as Partial<HasNext> & State;
  const isEnd = type === 'Succeed' || (isLast === true && way === undefined);
  const { done, events } = reportLeaving(state, progress, output, isEnd);
  const exitProgress = { input: output, variables, state: progress.state, enteredAt, steps };
  const next = carrying(exitProgress, parentVisit, usage, done);
  const exited = { type: 'state.exited', ...state.where(), output };
  const isAssigned = assigned !== undefined && Object.keys(assigned).length > 0;
  return state.effects(way === undefined ? next : { ...next, way }, [
    isAssigned ? { ...exited, assigned } : exited,
    ...state.authoredEvents('OnExit', progress, output),
    ...(way === undefined ? auditEvents(state, progress, { output }) : []),
    ...events,
  ]);
}

/** The progress at the start of a visit. */
function enteredProgress({ name, progress, scope }: StateAtWork): Progress {
  const { input, variables, steps, usage, done, parentVisit } = progress;
  const enteredAt = scope.world.now();
  const entered = { input, variables, state: name, enteredAt, steps: steps + 1 };
  return carrying(entered, parentVisit, usage, done);
}

/** Adds the fields that outlast a visit. Most progress has none of them, and each spread takes time in every state. */
function carrying(
  progress: Progress,
  parentVisit: string | undefined,
  usage: Usage | undefined,
  done: CompletedStates | undefined,
): Progress {
  const carried = parentVisit === undefined ? progress : { ...progress, parentVisit };
  return usage || done ? { ...carried, ...(usage && { usage }), ...(done && { done }) } : carried;
}

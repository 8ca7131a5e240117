import type { EventObject, Json } from '@dramaturg/compiler';
import type { EachInput, Effects } from '@dramaturg/compiler/format';
import { type Progress, progressOf, visitOf, type WorkflowContext } from '../context.ts';
import type { State } from '../definition/machine.ts';
import type {
  CompletedStates,
  HasNext,
  ProgressWeights,
  ReportingParallel,
} from '../definition/state.ts';
import type { BudgetVisit } from '../flow/budget.ts';
import { checkDataLimit, checkVariableLimits } from '../flow/data-flow.ts';
import { aggregate, doneAfter, type Milestone, reachedMilestones } from '../flow/progress.ts';
import type { Outcome, Usage } from '../flow/run.ts';
import type { MapVisit } from '../kinds/map/program.ts';
import type { Task } from '../kinds/task/definition.ts';
import { auditEvents } from './audit.ts';
import { programOf } from './program.ts';
import { StateAtWork, type StateParams, type WorkflowScope } from './state-at-work.ts';

/** Spec: Agent 9 §Progress */
function reportEntering(state: StateAtWork, progress: Progress): EventObject[] {
  const { reporting } = state.program;
  return reporting ? stateEvents(state, progress, undefined, { percentage: 0 }) : [];
}

const nothing = { events: [] };

/** Reports the progress of a state that is left, and of the workflow or Parallel around it. */
function reportLeaving(
  state: StateAtWork,
  progress: Progress,
  output: Json,
  isEnd: boolean,
): { readonly done?: CompletedStates; readonly events: readonly EventObject[] } {
  const { reporting } = state.program;
  if (!reporting && !state.mayReportShare) return nothing;
  const own = reporting && !hasParts(state, progress) ? reporting : undefined;
  const reported = own?.progressIn(state.run(progress), output);
  const events = reported ? stateEvents(state, progress, 0, reported) : [];
  const share = state.share ?? shareOfBranch(state);
  if (!share) return { events };
  const done = doneAfter(progress.done, state.name, isEnd, share);
  const ofWhole = state.parallel
    ? parallelEvents(state, state.parallel, done)
    : [
        {
          type: 'progress.updated',
          ...state.where(),
          of: 'workflow',
          percentage: done.percentage,
          ...times(state, state.context.execution.startedAt),
        },
      ];
  return { done, events: [...events, ...ofWhole] };
}

/** Whether the branches or items of the state report its progress. */
function hasParts({ program }: StateAtWork, progress: Progress): boolean {
  const { Type: type } = program.state;
  const { map } = visitOf<MapVisit>(progress);
  return type === 'Parallel' || (type === 'Map' && (map?.inputs.length ?? 0) > 0);
}

function shareOfBranch({ parallel, machine }: StateAtWork): ProgressWeights | undefined {
  return parallel && { total: parallel.sizes[parallel.branches.indexOf(machine)]! };
}

/** The progress of a Parallel after a state of one of its branches. */
function parallelEvents(
  state: StateAtWork,
  parallel: ReportingParallel,
  done: CompletedStates,
): EventObject[] {
  const { state: definition, reporting } = programOf(state.scope, parallel.state);
  const { aggregation, perBranch, milestones } = reporting!;
  const before = parallel.branches.map((branch) => doneOf(state, branch)?.percentage ?? 0);
  const now = parallel.branches.map((branch, index) =>
    branch === state.machine ? done.percentage : before[index]!,
  );
  const whole = (percentages: readonly number[]) =>
    aggregate(aggregation, percentages, parallel.sizes);
  const where = { ...state.where(), state: definition.name };
  const percentage = whole(now);
  const { enteredAt } = progressOf(state.context, parallel.machine);
  return [
    {
      type: 'progress.updated',
      ...where,
      of: 'state',
      percentage,
      ...(perBranch && { branches: now }),
      ...times(state, enteredAt),
    },
    ...milestoneEvents(where, reachedMilestones(milestones, whole(before), percentage)),
  ];
}

function doneOf({ context }: StateAtWork, machine: string): CompletedStates | undefined {
  return progressOf(context, machine).done;
}

/** @param before the percentage so far; undefined when the state begins */
function stateEvents(
  state: StateAtWork,
  { enteredAt }: Progress,
  before: number | undefined,
  reported: { readonly percentage: number; readonly milestone?: string; readonly message?: string },
): EventObject[] {
  const { milestones } = state.program.reporting!;
  return [
    {
      type: 'progress.updated',
      ...state.where(),
      of: 'state',
      ...reported,
      ...times(state, enteredAt),
    },
    ...milestoneEvents(state.where(), reachedMilestones(milestones, before, reported.percentage)),
  ];
}

function milestoneEvents(where: object, milestones: readonly Milestone[]): EventObject[] {
  return milestones.map((milestone) => ({ type: 'progress.milestone', ...where, ...milestone }));
}

function times({ world }: StateAtWork, startedAt: number) {
  return {
    startedAt: new Date(startedAt).toISOString(),
    updatedAt: new Date(world.now()).toISOString(),
  };
}

/** The events that the supervisor of a Map emits as items end. */
export function reportsOfItems(
  state: StateAtWork,
  { enteredAt }: Progress,
): Pick<EachInput, 'reports'> {
  const { reporting } = state.program;
  if (!reporting) return {};
  const where = state.where();
  const startedAt = new Date(enteredAt).toISOString();
  return {
    reports: {
      event: { type: 'progress.updated', ...where, of: 'state', startedAt },
      milestones: reporting.milestones
        .filter(({ at }) => at > 0)
        .map((milestone) => ({
          at: milestone.at,
          event: { type: 'progress.milestone', ...where, ...milestone },
        })),
    },
  };
}

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

import type { EventObject, Json } from '@dramaturg/compiler';
import type { EachInput } from '@dramaturg/compiler/format';
import { type Progress, progressOf, visitOf } from '../context.ts';
import type {
  CompletedStates,
  ProgressWeights,
  ReportingParallel,
} from '../definition/progress.ts';
import type { MapVisit } from '../kinds/map/program.ts';
import { aggregate, doneAfter, type Milestone, reachedMilestones } from '../flow/progress.ts';
import { programOf } from './program.ts';
import type { StateAtWork } from './state-at-work.ts';

/** Spec: Agent 9 §Progress */
export function reportEntering(state: StateAtWork, progress: Progress): EventObject[] {
  const { reporting } = state.program;
  return reporting ? stateEvents(state, progress, undefined, { percentage: 0 }) : [];
}

const nothing = { events: [] };

/** Reports the progress of a state that is left, and of the workflow or Parallel around it. */
export function reportLeaving(
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

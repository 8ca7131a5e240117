import type { EachInput, EventObject, Json } from '@dramaturg/compiler';
import { type Progress, progressOf } from '../context.ts';
import type { Done, Share, Within } from '../definition/progress.ts';
import { aggregated, doneAfter, type Milestone, passed } from '../flow/progress.ts';
import type { StateAtWork } from './state-at-work.ts';
import { programOf } from './program.ts';

/** The state begins. Spec: Agent 9 §Progress */
export function reportEntering(state: StateAtWork, progress: Progress): EventObject[] {
  const { reporting } = state.program;
  return reporting ? reportOf(state, progress, undefined, { percentage: 0 }) : [];
}

const nothing = { told: [] };

/** The state is done, and with it a part of the workflow, or of the branch. */
export function reportLeaving(
  state: StateAtWork,
  progress: Progress,
  output: Json,
  isEnd: boolean,
): { readonly done?: Done; readonly told: readonly EventObject[] } {
  const { reporting } = state.program;
  if (!reporting && !state.tellsShare) return nothing;
  const own = reporting && !state.hasParts(progress) ? reporting : undefined;
  const said = own?.said(state.run(progress), output);
  const told = said ? reportOf(state, progress, 0, said) : [];
  const share = state.share ?? shareOfBranch(state);
  if (!share) return { told };
  const done = doneAfter(progress.done, state.name, isEnd, share);
  const ofWhole = state.within
    ? reportBranch(state, state.within, done)
    : [
        {
          type: 'progress.updated',
          ...state.where(),
          of: 'workflow',
          percentage: done.percentage,
          ...times(state, state.context.execution.startedAt),
        },
      ];
  return { done, told: [...told, ...ofWhole] };
}

function shareOfBranch({ within, machine }: StateAtWork): Share | undefined {
  return within && { total: within.sizes[within.branches.indexOf(machine)]! };
}

/** How far a Parallel is, as a branch goes on. */
function reportBranch(state: StateAtWork, within: Within, done: Done): EventObject[] {
  const { state: name, program } = partOf(state, within);
  const reporting = program.reporting!;
  const percentages = within.branches.map((branch) =>
    branch === state.machine ? done.percentage : (doneOf(state, branch)?.percentage ?? 0),
  );
  const before = within.branches.map((branch) => doneOf(state, branch)?.percentage ?? 0);
  const sum = (of: readonly number[]) => aggregated(reporting.aggregation, of, within.sizes);
  const where = { ...state.where(), state: name };
  const percentage = sum(percentages);
  const { enteredAt } = progressOf(state.context, within.machine);
  return [
    {
      type: 'progress.updated',
      ...where,
      of: 'state',
      percentage,
      ...(reporting.perBranch && { branches: percentages }),
      ...times(state, enteredAt),
    },
    ...milestoneEvents(where, passed(reporting.milestones, sum(before), percentage)),
  ];
}

function partOf(state: StateAtWork, { state: node }: Within) {
  const program = programOf(state.scope, node);
  return { state: program.state.name, program };
}

function doneOf({ context }: StateAtWork, machine: string): Done | undefined {
  return progressOf(context, machine).done;
}

function reportOf(
  state: StateAtWork,
  { enteredAt }: Progress,
  before: number | undefined,
  said: { readonly percentage: number; readonly milestone?: string; readonly message?: string },
): EventObject[] {
  const { milestones } = state.program.reporting!;
  return [
    {
      type: 'progress.updated',
      ...state.where(),
      of: 'state',
      ...said,
      ...times(state, enteredAt),
    },
    ...milestoneEvents(state.where(), passed(milestones, before, said.percentage)),
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

/** What the supervisor of a Map's items tells as they end. */
export function reportOfItems(
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

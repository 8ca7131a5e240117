import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { readPath } from '../data/path/read.ts';
import type { State } from '../definition/machine.ts';
import type { CompletedStates, ProgressWeights } from '../definition/state.ts';
import { evaluation } from './jsonpath-flow.ts';
import type { Run } from './run.ts';

export interface Milestone {
  /** Percent. */
  readonly at: number;
  readonly name?: string;
  readonly emit?: string;
}

/** The progress that an agent reports in its output. */
interface ReportedProgress {
  readonly percentage: number;
  readonly milestone?: string;
  readonly message?: string;
}

/** How a state reports its progress. */
export interface ProgressReporting {
  readonly milestones: readonly Milestone[];
  /** Reads the progress from the output of the state; 100 % when it says nothing. */
  readonly progressIn: (run: Run, output: Json) => ReportedProgress;
  readonly aggregation: Aggregation;
  readonly perBranch: boolean;
}

type Aggregation = 'average' | 'minimum' | 'weighted';

/** Agent 9 §Progress */
export function compileReporting({ authored }: State): ProgressReporting | undefined {
  const progress = authored['Progress'];
  if (!isRecord(progress) || progress['Enabled'] === false) return undefined;
  const { Path: path, Milestones: milestones, Aggregation: aggregation } = progress;
  return {
    milestones: (Array.isArray(milestones) ? milestones.slice(0, 100) : []).flatMap(readMilestone),
    progressIn(run, output) {
      const found = typeof path === 'string' ? readPath(path, evaluation(run, output)) : undefined;
      return found?.found ? readProgress(found.value) : all;
    },
    aggregation: (aggregation as Aggregation | undefined) ?? 'average',
    perBranch: progress['PerBranch'] === true,
  };
}

const all: ReportedProgress = { percentage: 100 };

function readMilestone(written: unknown): Milestone[] {
  if (!isRecord(written) || typeof written['At'] !== 'number') return [];
  const { At: at, Name: name, Emit: emit } = written;
  return [
    {
      at,
      ...(typeof name === 'string' && { name }),
      ...(typeof emit === 'string' && { emit }),
    },
  ];
}

function readProgress(value: Json): ReportedProgress {
  if (typeof value === 'number') return { percentage: percent(value) };
  if (!isRecord(value)) return all;
  const { percentage, milestone, message } = value;
  return {
    percentage: typeof percentage === 'number' ? percent(percentage) : 100,
    ...(typeof milestone === 'string' && { milestone }),
    ...(typeof message === 'string' && { message }),
  };
}

/** Between 0 and 100, with two decimals. */
function percent(value: number): number {
  return Math.round(Math.min(Math.max(value, 0), 100) * 100) / 100;
}

/** The states done once a state is left. A state that is left again counts once. */
export function doneAfter(
  before: CompletedStates | undefined,
  state: string,
  isEnd: boolean,
  { total, weights }: ProgressWeights,
): CompletedStates {
  const known = before?.states ?? [];
  const states = known.includes(state) ? known : [...known, state];
  if (isEnd) return { states, percentage: 100 };
  let sum = 0;
  for (const name of states) sum += weights ? (own(weights, name) ?? 0) : 1;
  return { states, percentage: total > 0 ? percent((sum / total) * 100) : 0 };
}

function own(weights: Readonly<Record<string, number>>, name: string): number | undefined {
  return Object.hasOwn(weights, name) ? weights[name] : undefined;
}

/**
 * The progress of a Parallel.
 *
 * @param percentages of its branches
 * @param sizes how many states each branch has
 */
export function aggregate(
  aggregation: Aggregation,
  percentages: readonly number[],
  sizes: readonly number[],
): number {
  if (aggregation === 'minimum') return Math.min(...percentages);
  const weights = aggregation === 'weighted' ? sizes : percentages.map(() => 1);
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  if (whole === 0) return 0;
  return percent(
    percentages.reduce((sum, percentage, index) => sum + percentage * weights[index]!, 0) / whole,
  );
}

/** The milestones between two percentages. */
export function reachedMilestones(
  milestones: readonly Milestone[],
  before: number | undefined,
  now: number,
): readonly Milestone[] {
  return milestones.filter(({ at }) => at <= now && (before === undefined || at > before));
}

export type Occasion = 'OnEnter' | 'OnExit' | 'OnError';

/** The event that a state emits on an occasion: its authored name, and the data that it includes. */
export type StateEvents = (
  occasion: Occasion,
  run: Run,
  data: Json,
) => { readonly name: string; readonly data: JsonObject } | undefined;

/** Agent 9 §Events */
export function compileStateEvents({ authored }: State): StateEvents | undefined {
  const events = authored['Events'];
  if (!isRecord(events)) return undefined;
  return (occasion, run, data) => {
    const event = events[occasion];
    if (!isRecord(event) || typeof event['Type'] !== 'string') return undefined;
    const include = Array.isArray(event['Include']) ? event['Include'].slice(0, 100) : [];
    return {
      name: event['Type'],
      data: Object.fromEntries(
        include.flatMap((path: unknown): [string, Json][] => {
          if (typeof path !== 'string') return [];
          const found = readPath(path.startsWith('$') ? path : `$.${path}`, evaluation(run, data));
          return found.found ? [[path, found.value]] : [];
        }),
      ),
    };
  };
}

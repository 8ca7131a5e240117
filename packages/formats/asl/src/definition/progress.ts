import type { JsonObject } from '@dramaturg/compiler';
import * as z from 'zod';
import { flag, number, percentage, positiveCount, text } from './field.ts';

const milestone = z.object({
  /** Percent. */
  At: percentage,
  Name: text.optional(),
  /** The event that is emitted in addition to the name. */
  Emit: text.optional(),
});

/** Progress reports of a state. Agent 9 §Progress */
export const stateProgress = z.object({
  Enabled: flag.optional(),
  /** Where the output has the progress: a number, or `{ percentage, milestone, message }`. */
  Path: text.optional(),
  Milestones: z.array(milestone).optional(),
  HeartbeatOnUpdate: flag.optional(),
  /** Of a Parallel: how the percentages of its branches are combined; `average` when left out. */
  Aggregation: z.enum(['average', 'minimum', 'weighted']).optional(),
  /** Of a Parallel: reports the percentage of each branch too. */
  PerBranch: flag.optional(),
  /** Of a Map. */
  PerItem: flag.optional(),
  AggregateBy: z.unknown().optional(),
});

/** Progress reports of a workflow. Agent 9 §Progress */
export const workflowProgress = z.object({
  Enabled: flag.optional(),
  /** How many states a run completes; all of them when left out. */
  TotalStates: positiveCount.optional(),
  /** The weight of each state, in any unit. */
  WeightedProgress: z
    .record(
      z.string(),
      number('a number, 0 or more', (value) => value >= 0),
    )
    .optional(),
});

/** The completed states of a machine, and their share of it. */
export interface CompletedStates {
  readonly states: readonly string[];
  /** From 0 to 100. */
  readonly percentage: number;
}

/** The weights of a machine's states. */
export interface ProgressWeights {
  /** The sum of all weights. */
  readonly total: number;
  /** By state; each is 1 when left out. */
  readonly weights?: Readonly<Record<string, number>>;
}

/** The Parallel of a branch that reports progress. */
export interface ReportingParallel extends JsonObject {
  /** Id of its node. */
  readonly state: string;
  /** The machine it is in. */
  readonly machine: string;
  /** Names of the machines of its branches. */
  readonly branches: string[];
  /** The number of states of each. */
  readonly sizes: number[];
}

import type { JsonObject } from '@dramaturg/compiler';
import * as z from 'zod/mini';
import { required, optional, flag, number, percentage, positiveCount, text } from './field.ts';

export const milestone = z.object({
  At: required(percentage, 'Percent.'),
  Name: optional(text, 'The name of the milestone.'),
  Emit: optional(text, 'The event that is emitted in addition to the name.'),
});

/** Progress reports of a state. Agent 9 §Progress */
export const stateProgress = z.object({
  Enabled: optional(flag, 'Whether progress is reported.'),
  Path: optional(
    text,
    'Where the output has the progress: a number, or `{ percentage, milestone, message }`.',
  ),
  Milestones: optional(z.array(milestone), 'Percentages with names.'),
  HeartbeatOnUpdate: optional(flag, 'Has no effect yet.'),
  Aggregation: optional(
    z.enum(['average', 'minimum', 'weighted']),
    'Of a Parallel: how the percentages of its branches are combined; `average` when left out.',
  ),
  PerBranch: optional(flag, 'Of a Parallel: reports the percentage of each branch too.'),
  PerItem: optional(flag, 'Of a Map.'),
  AggregateBy: optional(z.unknown(), 'Has no effect yet.'),
});

/** Progress reports of a workflow. Agent 9 §Progress */
export const workflowProgress = z.object({
  Enabled: optional(flag, 'Whether progress is reported.'),
  TotalStates: optional(
    positiveCount,
    'How many states a run completes; all of them when left out.',
  ),
  WeightedProgress: optional(
    z.record(z.string(), number('a number, 0 or more', { type: 'number', minimum: 0 })),
    'The weight of each state, in any unit.',
  ),
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

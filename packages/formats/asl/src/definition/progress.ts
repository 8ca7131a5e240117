import type { JsonObject } from '@dramaturg/compiler';
import * as z from 'zod';
import { flag, number, percentage, positiveCount, text } from './field.ts';

const milestone = z.object({
  At: percentage.describe('Percent.'),
  Name: text.optional().describe('The name of the milestone.'),
  Emit: text.optional().describe('The event that is emitted in addition to the name.'),
});

/** Progress reports of a state. Agent 9 §Progress */
export const stateProgress = z.object({
  Enabled: flag.optional().describe('Whether progress is reported.'),
  Path: text
    .optional()
    .describe(
      'Where the output has the progress: a number, or `{ percentage, milestone, message }`.',
    ),
  Milestones: z.array(milestone).optional().describe('Percentages with names.'),
  HeartbeatOnUpdate: flag.optional().describe('Has no effect yet.'),
  Aggregation: z
    .enum(['average', 'minimum', 'weighted'])
    .optional()
    .describe(
      'Of a Parallel: how the percentages of its branches are combined; `average` when left out.',
    ),
  PerBranch: flag.optional().describe('Of a Parallel: reports the percentage of each branch too.'),
  PerItem: flag.optional().describe('Of a Map.'),
  AggregateBy: z.unknown().optional().describe('Has no effect yet.'),
});

/** Progress reports of a workflow. Agent 9 §Progress */
export const workflowProgress = z.object({
  Enabled: flag.optional().describe('Whether progress is reported.'),
  TotalStates: positiveCount
    .optional()
    .describe('How many states a run completes; all of them when left out.'),
  WeightedProgress: z
    .record(z.string(), number('a number, 0 or more', { type: 'number', minimum: 0 }))
    .optional()
    .describe('The weight of each state, in any unit.'),
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

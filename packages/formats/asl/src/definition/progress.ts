import type { JsonObject } from '@dramaturg/compiler';
import { z } from 'zod';
import { flag, number, percentage, positiveCount, text } from './field.ts';

const milestone = z.object({
  /** Percent. */
  At: percentage,
  Name: text.optional(),
  /** What it is told as, beside its name. */
  Emit: text.optional(),
});

/** What is told of how far a state is. Agent 9 §Progress */
export const stateProgress = z.object({
  Enabled: flag.optional(),
  /** Where the output says how far the work is: a number, or `{ percentage, milestone, message }`. */
  Path: text.optional(),
  Milestones: z.array(milestone).optional(),
  HeartbeatOnUpdate: flag.optional(),
  /** Of a Parallel: what its percentage is of those of its branches; `average` when left out. */
  Aggregation: z.enum(['average', 'minimum', 'weighted']).optional(),
  /** Of a Parallel: the percentages of its branches are told too. */
  PerBranch: flag.optional(),
  /** Of a Map. */
  PerItem: flag.optional(),
  AggregateBy: z.unknown().optional(),
});

/** What is told of how far a workflow is. Agent 9 §Progress */
export const workflowProgress = z.object({
  Enabled: flag.optional(),
  /** How many states a run leaves; all of them when left out. */
  TotalStates: positiveCount.optional(),
  /** How much of the whole each state is, in any unit. */
  WeightedProgress: z
    .record(
      z.string(),
      number('a number, 0 or more', (value) => value >= 0),
    )
    .optional(),
});

/** Which states of a machine are done, and how much of it that is. */
export interface Done {
  readonly states: readonly string[];
  /** From 0 to 100. */
  readonly percentage: number;
}

/** How much of a machine its states are. */
export interface Share {
  /** All of it. */
  readonly total: number;
  /** By state; each is 1 when left out. */
  readonly weights?: Readonly<Record<string, number>>;
}

/** The Parallel of a branch that tells how far it is. */
export interface Within extends JsonObject {
  /** Id of its node. */
  readonly state: string;
  /** The machine it is in. */
  readonly machine: string;
  /** Names of the machines of its branches. */
  readonly branches: string[];
  /** How many states they have. */
  readonly sizes: number[];
}

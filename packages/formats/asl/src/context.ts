import type { Json } from '@dramaturg/compiler';
import type { Execution, Item } from './flow/context-object.ts';
import type { ApprovalWork } from './flow/approval.ts';
import type { DebateState } from './flow/debate.ts';
import type { MapWork } from './flow/map.ts';
import type { Failure, Variables } from './flow/run.ts';
import type { Usage } from './flow/usage.ts';

/**
 * The context of a workflow's actor, and of the actor of each item of a Map: every machine of the language that runs in
 * it keeps its progress in a field of its own, by its name, so that branches never touch the same field.
 */
export interface WorkflowContext {
  readonly execution: Execution;
  /** What the actor works on, when it works on an item of a Map. */
  readonly item?: Item;
  /** The indexes of the items within which the actor works, the outermost first. */
  readonly place: readonly number[];
  readonly [machine: string]: unknown;
}

/** How far a machine has come: the workflow, a branch of a Parallel, or what a Map runs for an item. */
export interface Progress {
  /** What the state was entered with; what it hands on, once it is done. */
  readonly input: Json;
  readonly variables: Variables;
  /** Empty before the first. */
  readonly state: string;
  /** Milliseconds since 1970 UTC. */
  readonly enteredAt: number;
  /** Which visit of the state around it a branch belongs to: a state that is come to again begins its branches anew. */
  readonly within?: string;
  /** How many states have been entered. */
  readonly steps: number;
  /** Which rule of a Choice holds, or which catcher has caught; none stands for the `Default`. */
  readonly way?: number;
  /** What went wrong, until something deals with it. */
  readonly failure?: Failure;
  /** What the machine has used up, and what its branches and items have. */
  readonly usage?: Usage;
  /** The workflow took too long. */
  readonly timedOut?: true;
  /** Of a state that waits for something. */
  readonly visit?: Visit;
}

/** What a state keeps in mind while it works. */
export interface Visit {
  /** The input of the task, or of the branches. */
  readonly work?: Json;
  readonly map?: MapWork;
  readonly debate?: DebateState;
  readonly approval?: ApprovalWork;
  /** What has the right to complete the task. */
  readonly token?: string;
  /** Milliseconds since 1970 UTC: when a Wait or a pause before a retry ends. */
  readonly until?: number;
  /** Milliseconds since 1970 UTC: when the task has taken too long. */
  readonly timeoutAt?: number;
  /** Milliseconds after which a silent task is given up. */
  readonly heartbeat?: number;
  /** How often each retrier has tried again. */
  readonly attempts: readonly number[];
  /** Milliseconds before the latest retry. */
  readonly delay?: number;
}

export function progressOf(context: WorkflowContext, machine: string): Progress {
  return context[machine] as Progress;
}

/** How often the state has been tried again. */
export function retriesOf({ attempts }: Visit): number {
  let sum = 0;
  for (const count of attempts) sum += count;
  return sum;
}

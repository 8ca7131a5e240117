import type { Json, JsonObject, ToolCall } from '@dramaturg/compiler';
import type { Done } from './definition/progress.ts';
import type { CachePlace } from './flow/cache.ts';
import type { Spending, Standing } from './flow/budget.ts';
import type { Execution, Item } from './flow/context-object.ts';
import type { ApprovalWork } from './flow/approval.ts';
import type { Ranking } from './flow/context-window.ts';
import type { DebateState } from './flow/debate.ts';
import type { Keeping, Lookup } from './flow/memory.ts';
import type { MapWork } from './flow/map.ts';
import type { Failure, Outcome, Variables } from './flow/run.ts';
import type { ToolResult, ToolUse } from './flow/tools.ts';
import type { Answer, Usage, Used } from './flow/usage.ts';

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
  /** What the actor's agents have used, when the workflow has a budget: all branches share it. */
  readonly spent?: Spending;
  /** What was used of the budget before the actor of an item began. */
  readonly before?: Standing;
  /** When tools that have limits were used. */
  readonly toolUse?: ToolUse;
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
  /** What of the machine is done, when that is told. */
  readonly done?: Done;
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
  /** What the agent has answered, while others look at it. */
  readonly answer?: Answer;
  /** What the visit has used, all attempts together. */
  readonly used?: VisitUsage;
  /** What the budget has for the next call in place of what was planned. */
  readonly instead?: Instead;
  /** How often somebody was asked whether the budget may be passed. */
  readonly asked?: number;
  /** Before the next call somebody has to allow more, or some time has to pass; or that is done. */
  readonly held?: 'asks' | 'granted' | 'waits' | 'has waited';
  /** Milliseconds since 1970 UTC: until when the call is put off. */
  readonly heldUntil?: number;
  /** What guardrails had against earlier answers of the agent. */
  readonly complaints?: readonly string[];
  /** The agent is to try again. */
  readonly isAgain?: boolean;
  /** The model is asked that the definition has for failures. */
  readonly fallsBack?: true;
  /** What is looked up in memory before the agent is asked. */
  readonly lookup?: Lookup;
  /** Where in memory the answer is kept. */
  readonly cached?: CachePlace;
  /** The definition's own name for the call, the same for every attempt. */
  readonly idempotencyKey?: string;
  readonly ranking?: Ranking;
  /** What an agent is to summarise. */
  readonly summary?: JsonObject;
  /** How the agent came to its answer, when that is to be stored. */
  readonly reasoning?: Json;
  /** What the state will hand on, worked out before it is kept in memory. */
  readonly outcome?: Outcome;
  /** What is still to be kept in memory. */
  readonly keepings?: readonly Keeping[];
  /** How often the agent has asked for tools before it answered. */
  readonly rounds?: number;
  /** The tools it asks for that were not used yet. */
  readonly wanted?: readonly ToolCall[];
  readonly toolResults?: readonly ToolResult[];
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

export type VisitUsage = Omit<Used, 'isToldElsewhere' | 'model'>;

interface Instead {
  readonly agent?: string;
  readonly model?: string;
  /** Less will do: the budget is running out. */
  readonly quality?: 'reduced';
}

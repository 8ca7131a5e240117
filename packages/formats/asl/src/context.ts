import type { Json } from '@dramaturg/compiler';
import type { CompletedStates } from './definition/state.ts';
import type { BudgetContext } from './flow/budget.ts';
import type {
  Answer,
  ChildRun,
  Execution,
  Failure,
  Item,
  Outcome,
  Usage,
  Variables,
} from './flow/run.ts';
import type { ToolsContext } from './flow/tools.ts';

/**
 * The context of a workflow's actor, and of the actor of each item of a Map. Every machine in the actor (the workflow,
 * a branch, an included template) keeps its progress in a field with its own name, so that branches never share a
 * field.
 */
export interface WorkflowContext extends BudgetContext, ToolsContext {
  readonly execution: Execution;
  /** The item of the Map, in the actor of an item. */
  readonly item?: Item;
  /** The execution of a distributed Map's item that the actor belongs to. */
  readonly child?: ChildRun;
  /** The indexes of the items around the actor, the outermost first. */
  readonly place: readonly number[];
  readonly [machine: string]: unknown;
}

/** The progress of a machine: the workflow, a branch of a Parallel, or the machine of an item. */
export interface Progress {
  /** The input of the state; its output, once the state is done. */
  readonly input: Json;
  readonly variables: Variables;
  /** Empty before the first state. */
  readonly state: string;
  /** Milliseconds since 1970 UTC. */
  readonly enteredAt: number;
  /** The visit of the state around the machine. Each visit starts its branches again. */
  readonly parentVisit?: string;
  /** How many states have been entered. */
  readonly steps: number;
  /** The index of the rule or catcher that applies; undefined is the `Default`. */
  readonly way?: number;
  /** The failure that no retrier or catcher has handled yet. */
  readonly failure?: Failure;
  /** The usage of the machine with its branches and items. */
  readonly usage?: Usage;
  /** The states that are done, when the definition reports progress. */
  readonly done?: CompletedStates;
  /** The workflow has timed out. */
  readonly timedOut?: true;
  readonly visit?: Visit;
}

/**
 * The data of one visit of a state. Every kind and block that needs more declares a slice next to its flow, such as
 * `ApprovalVisit`, and reads and writes just that with `visitOf` and `withVisit`. Slices are stored flat, in one
 * object.
 */
export interface Visit {
  /** How often each retrier has tried again. */
  readonly attempts: readonly number[];
  /** Milliseconds before the latest retry. */
  readonly delay?: number;
  /** Milliseconds since 1970 UTC: the end of a Wait, or of the pause before a retry. */
  readonly until?: number;
}

/** The slice of the visit that all states with calls share. */
export interface WorkVisit {
  /** The input of the work. */
  readonly work: Json;
  /** The answer of the agent, until the state is done with it. */
  readonly answer: Answer;
  /** The outcome of the state, once it is known: blocks after the answer may need it. */
  readonly outcome: Outcome;
  /** Milliseconds since 1970 UTC. */
  readonly timeoutAt: number;
}

export function progressOf(context: WorkflowContext, machine: string): Progress {
  return context[machine] as Progress;
}

/** The visit as the owner of a slice sees it. */
export function visitOf<Slice extends object = object>(progress: Progress): Visit & Partial<Slice> {
  return (progress.visit ?? { attempts: [] }) as Visit & Partial<Slice>;
}

/** The progress with changes to a slice of the visit. A field that becomes undefined is removed. */
export function withVisit<Slice extends object>(
  progress: Progress,
  changes: { readonly [Field in keyof Slice]?: Slice[Field] | undefined },
): Progress {
  const visit = { ...visitOf(progress), ...changes };
  return { ...progress, visit: isComplete(changes) ? visit : (withoutUndefined(visit) as Visit) };
}

function isComplete(changes: object): boolean {
  return !Object.values(changes).includes(undefined);
}

function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** How often the state has been tried again. */
export function retriesOf({ attempts }: Visit): number {
  let sum = 0;
  for (const count of attempts) sum += count;
  return sum;
}

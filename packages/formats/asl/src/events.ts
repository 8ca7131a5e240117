import type { Json, JsonObject } from '@dramaturg/compiler';
import type { workflow } from '@dramaturg/compiler/format';
import type { Usage } from './flow/run.ts';

/** The input of a workflow. */
export interface WorkflowInput {
  /** The data of the first state; an empty object when left out. */
  readonly input?: Json;
  /** Names this run in idempotency keys and in `$$.Execution.Id`; a random UUID when left out. */
  readonly id?: string;
  /** `$$.Execution.Name`; the workflow's `Comment` or the id when left out. */
  readonly name?: string;
  /** Initial variables. */
  readonly variables?: JsonObject;
  /** More fields of `$$.Execution` and `$$.StateMachine`. */
  readonly context?: { readonly Execution?: JsonObject; readonly StateMachine?: JsonObject };
}

/** Events a workflow accepts. Spec: docs/events.md */
export type WorkflowEvent = workflow.WorkflowEvent;

/** Events that a workflow emits. Spec: docs/events.md */
export type WorkflowEmitted =
  | (workflow.StateEntered & {
      readonly kind: string;
      readonly input: Json;
      readonly timeoutSeconds?: number;
      readonly heartbeatSeconds?: number;
    })
  | (workflow.StateExited & {
      /** The variables that the state has set. */
      readonly assigned?: JsonObject;
    })
  | workflow.TaskScheduled
  | workflow.TaskAccepted
  | workflow.TaskRetried
  | workflow.StateFailed
  | workflow.ErrorCaught
  | (workflow.DecisionRequested & {
      /** The fields of a prompt that has several. */
      readonly details?: JsonObject;
      /** ISO 8601: the deadline. */
      readonly until?: string;
    })
  | (workflow.DecisionRefused & { readonly by?: string })
  /** One of several required approvals. */
  | ({
      readonly type: 'decision.recorded';
      readonly id: string;
      readonly decision: string;
      readonly by: string;
      readonly approvals: number;
      readonly required: number;
    } & workflow.InState)
  | ({
      readonly type: 'decision.made';
      readonly id: string;
      readonly decision: string;
      /** `system` when the definition decides. */
      readonly by: string;
      readonly comment?: string;
      readonly data?: JsonObject;
    } & workflow.InState)
  /** Nobody has decided yet: a step of the escalation. */
  | ({
      readonly type: 'decision.escalated';
      readonly id: string;
      readonly level: number;
      readonly notify: readonly string[];
      /** The person who may also decide from now on. */
      readonly to?: string;
      readonly text: string;
    } & workflow.InState)
  /** The host should notify a person of the question. */
  | ({
      readonly type: 'decision.notified';
      readonly id: string;
      readonly channel?: string;
      readonly to: string;
      readonly mention?: readonly string[];
      readonly text: string;
    } & workflow.InState)
  /** An agent has spoken in a Debate. */
  | ({
      readonly type: 'debate.spoken';
      readonly round: number;
      readonly agent: string;
      readonly response: Json;
    } & workflow.InState)
  /** An agent has voted in a Debate. */
  | ({
      readonly type: 'debate.voted';
      readonly round: number;
      readonly agent: string;
      readonly vote: Json;
    } & workflow.InState)
  | ({
      readonly type: 'checkpoint.saved';
      readonly name: string;
      /** ISO 8601 */
      readonly createdAt: string;
      readonly storage?: string;
      /** ISO 8601 */
      readonly expiresAt?: string;
      /** A run can continue from there; false when the host does not store runs. */
      readonly kept: boolean;
    } & workflow.InState)
  /** The record of an audited state, for each attempt. */
  | ({
      readonly type: 'task.audited';
      readonly level: 'minimal' | 'standard' | 'full' | 'debug';
      readonly status: 'succeeded' | 'failed';
      readonly error?: string | null;
      /** Without the data that the workflow redacts. Absent with the level `minimal`. */
      readonly input?: Json;
      readonly output?: Json;
      /** Present with the levels `full` and `debug`. */
      readonly toolResults?: Json;
      /** `latency` in milliseconds, `tokens` and `cost`. */
      readonly metrics?: Readonly<Record<string, number>>;
    } & workflow.InState)
  /** An agent has reported its usage. The host emits the usage that a port has counted. */
  | ({
      readonly type: 'usage.recorded';
      readonly inputTokens?: number;
      readonly outputTokens?: number;
    } & Usage &
      workflow.InState)
  /** An event that the definition declares: its name, and the included data by path. */
  | ({ readonly type: 'event.told'; readonly name: string; readonly data: Json } & workflow.InState)
  /** The reasoning of an agent. */
  | ({
      readonly type: 'reasoning.recorded';
      readonly format: string;
      readonly reasoning: Json;
    } & workflow.InState)
  /** The input or the answer of an agent breaks a rule. */
  | ({
      readonly type: 'guardrail.violated';
      readonly side: 'input' | 'output';
      readonly rule: string;
      readonly action: 'block' | 'redact' | 'mask' | 'warn' | 'retry';
      readonly because: string;
    } & workflow.InState)
  /** A tool is called for an agent. */
  | ({
      readonly type: 'tool.called';
      readonly tool: string;
      /** Absent when the definition keeps arguments out of events. */
      readonly arguments?: Json;
    } & workflow.InState)
  /** An agent has asked for a tool, or for arguments, that the definition does not allow. */
  | ({
      readonly type: 'tool.refused';
      readonly tool: string;
      readonly because: string;
    } & workflow.InState)
  /** A threshold of the workflow's budget is reached; emitted once for each. */
  | ({
      readonly type: 'budget.alert';
      /** `50%` */
      readonly at: string;
      readonly notify?: Json;
      readonly channel?: Json;
      readonly message?: string;
      readonly priority?: string;
    } & Usage &
      workflow.InState)
  /** A step of the budget's cascade is reached; emitted once for each. */
  | ({
      readonly type: 'budget.fallback';
      /** `BudgetAt80Percent` */
      readonly when: string;
      readonly model?: string;
      readonly agent?: string;
      readonly action?: 'PauseAndNotify' | 'ReduceQuality';
      readonly notify?: Json;
    } & Usage &
      workflow.InState)
  /** The budget is used up, and the workflow continues; emitted once. */
  | ({ readonly type: 'budget.exceeded' } & Usage & workflow.InState)
  /** The cache has the answer, and the agent is not called. */
  | ({ readonly type: 'cache.hit'; readonly name: string } & workflow.InState)
  /** The cache has failed, and the agent works without it. */
  | ({ readonly type: 'cache.failed'; readonly because: string } & workflow.InState)
  /** The progress of a state or of the workflow, when the definition asks for it. */
  | ({
      readonly type: 'progress.updated';
      /** The progress of the state, or of the workflow after the state. */
      readonly of: 'state' | 'workflow';
      /** From 0 to 100. */
      readonly percentage: number;
      /** From the output of the agent. */
      readonly milestone?: string;
      /** From the output of the agent. */
      readonly message?: string;
      /** The percentages of a Parallel's branches. */
      readonly branches?: readonly number[];
      /** ISO 8601 */
      readonly startedAt: string;
      /** ISO 8601; absent for a Map. */
      readonly updatedAt?: string;
    } & Partial<ItemCounts> &
      workflow.InState)
  /** A milestone of the definition is reached. */
  | ({
      readonly type: 'progress.milestone';
      /** Percent. */
      readonly at: number;
      readonly name?: string;
      readonly emit?: string;
    } & workflow.InState)
  | ({ readonly type: 'workflow.ended' } & WorkflowOutput);

/** The items of a Map by status. */
interface ItemCounts {
  readonly total: number;
  readonly completed: number;
  readonly inProgress: number;
  readonly pending: number;
  readonly failed: number;
}

/** The usage of a workflow with a budget: in total, by state, by category and by model. */
interface Costs {
  readonly total: Usage;
  readonly byState: Readonly<Record<string, Usage>>;
  readonly byCategory: Readonly<Record<string, Usage>>;
  readonly byModel: Readonly<Record<string, Usage>>;
}

/** The outcome of a run; `usage` when its agents have reported any. */
export type WorkflowOutput = workflow.WorkflowOutput & {
  readonly usage?: Usage;
  readonly costs?: Costs;
};

import type { Json, JsonObject } from '@dramaturg/compiler';
import type { Usage } from './flow/usage.ts';

/** What a workflow is started with. */
export interface WorkflowInput {
  /** The data of the first state; an empty object when left out. */
  readonly input?: Json;
  /** Names this run in idempotency keys and in `$$.Execution.Id`; a random UUID when left out. */
  readonly id?: string;
  /** `$$.Execution.Name`; the workflow's `Comment` or the id when left out. */
  readonly name?: string;
  /** Variables that are set from the start. */
  readonly variables?: JsonObject;
  /** More of the context object: fields of `$$.Execution` and `$$.StateMachine`. */
  readonly context?: { readonly Execution?: JsonObject; readonly StateMachine?: JsonObject };
}

/** Events a workflow accepts. Spec: docs/events.md */
export type WorkflowEvent =
  /** Completes the task that has the token. */
  | { readonly type: 'task.succeeded'; readonly token: string; readonly output: Json }
  /** Fails it. */
  | {
      readonly type: 'task.failed';
      readonly token: string;
      readonly error?: string;
      readonly cause?: string;
    }
  /** Says that it is still worked on. */
  | { readonly type: 'task.heartbeat'; readonly token: string };

/** Which state an event is about; `place` has the indexes of the items of Maps within which it works. */
interface Where {
  readonly state: string;
  readonly place?: readonly number[];
}

/** Events it emits. Spec: docs/events.md */
export type WorkflowEmitted =
  | ({ readonly type: 'state.entered'; readonly kind: string; readonly input: Json } & Where)
  | ({
      readonly type: 'state.exited';
      readonly output: Json;
      /** Variables that the state has set. */
      readonly assigned?: JsonObject;
    } & Where)
  /** A task waits for `task.succeeded` or `task.failed` with its token. */
  | ({
      readonly type: 'task.scheduled';
      readonly token: string;
      readonly resource: string;
      readonly input: Json;
    } & Where)
  | ({
      readonly type: 'task.retried';
      readonly error: string | null;
      readonly cause: string | null;
      /** Milliseconds until it is tried again. */
      readonly after: number;
    } & Where)
  /** An Approval waits for a person. */
  | ({
      readonly type: 'decision.requested';
      /** What people decide it by. */
      readonly id: string;
      readonly prompt: string;
      readonly options: readonly string[];
      /** ISO 8601: when it is too late. */
      readonly until?: string;
    } & Where)
  /** A decision that cannot be taken. */
  | ({
      readonly type: 'decision.refused';
      readonly id: string;
      readonly decision: string;
      readonly by?: string;
      readonly because: string;
    } & Where)
  /** One of several approvals that are required. */
  | ({
      readonly type: 'decision.recorded';
      readonly id: string;
      readonly decision: string;
      readonly by: string;
      readonly approvals: number;
      readonly required: number;
    } & Where)
  | ({
      readonly type: 'decision.made';
      readonly id: string;
      readonly decision: string;
      /** `system` where the definition decides by itself. */
      readonly by: string;
      readonly comment?: string;
    } & Where)
  /** Nobody has decided for a while: a step of the escalation. */
  | ({
      readonly type: 'decision.escalated';
      readonly id: string;
      readonly level: number;
      readonly notify: readonly string[];
      /** Who may decide as well from now on. */
      readonly to?: string;
      readonly text: string;
    } & Where)
  /** Somebody is to be told of the question. */
  | ({
      readonly type: 'decision.notified';
      readonly id: string;
      readonly channel?: string;
      readonly to: string;
      readonly mention?: readonly string[];
      readonly text: string;
    } & Where)
  /** Somebody has had the word in a Debate. */
  | ({
      readonly type: 'debate.spoken';
      readonly round: number;
      readonly agent: string;
      readonly response: Json;
    } & Where)
  /** Somebody has voted in it. */
  | ({
      readonly type: 'debate.voted';
      readonly round: number;
      readonly agent: string;
      readonly vote: Json;
    } & Where)
  | ({
      readonly type: 'checkpoint.saved';
      readonly name: string;
      /** ISO 8601 */
      readonly createdAt: string;
      readonly storage?: string;
      /** ISO 8601 */
      readonly expiresAt?: string;
      /** It can be gone on with from there; false where nobody keeps runs. */
      readonly kept: boolean;
    } & Where)
  /** An agent has said what it used; what a port has counted, whoever runs the port tells. */
  | ({
      readonly type: 'usage.recorded';
      readonly inputTokens?: number;
      readonly outputTokens?: number;
    } & Usage &
      Where)
  /** What the definition has a state tell: its own name for it, and what it includes of the data, by their paths. */
  | ({ readonly type: 'event.told'; readonly name: string; readonly data: Json } & Where)
  /** How an agent came to its answer. */
  | ({
      readonly type: 'reasoning.recorded';
      readonly format: string;
      readonly reasoning: Json;
    } & Where)
  /** What goes to an agent, or comes from it, breaks a rule. */
  | ({
      readonly type: 'guardrail.violated';
      readonly side: 'input' | 'output';
      readonly rule: string;
      readonly action: 'block' | 'redact' | 'mask' | 'warn' | 'retry';
      readonly because: string;
    } & Where)
  /** A tool is used for an agent. */
  | ({ readonly type: 'tool.called'; readonly tool: string; readonly arguments: Json } & Where)
  /** An agent has asked for a tool that it may not use, or not like this. */
  | ({ readonly type: 'tool.refused'; readonly tool: string; readonly because: string } & Where)
  /** A threshold of the workflow's budget is reached; each is told once. */
  | ({
      readonly type: 'budget.alert';
      /** `50%` */
      readonly at: string;
      readonly notify?: Json;
      readonly channel?: Json;
      readonly message?: string;
      readonly priority?: string;
    } & Usage &
      Where)
  /** A step of the budget's cascade is reached; each is told once. */
  | ({
      readonly type: 'budget.fallback';
      /** `BudgetAt80Percent` */
      readonly when: string;
      readonly model?: string;
      readonly agent?: string;
      readonly action?: 'PauseAndNotify' | 'ReduceQuality';
      readonly notify?: Json;
    } & Usage &
      Where)
  /** The budget is used up, and the workflow goes on all the same; told once. */
  | ({ readonly type: 'budget.exceeded' } & Usage & Where)
  /** The agent has answered the same before, and is not asked. */
  | ({ readonly type: 'cache.hit'; readonly name: string } & Where)
  /** The cache cannot be used, and the agent works without it. */
  | ({ readonly type: 'cache.failed'; readonly because: string } & Where)
  /** How far a state is, or the workflow, when the definition wants that told. */
  | ({
      readonly type: 'progress.updated';
      /** Of the state, or of the whole workflow, now that the state is left. */
      readonly of: 'state' | 'workflow';
      /** From 0 to 100. */
      readonly percentage: number;
      /** Said by the agent. */
      readonly milestone?: string;
      /** Said by the agent. */
      readonly message?: string;
      /** The percentages of a Parallel's branches. */
      readonly branches?: readonly number[];
      /** ISO 8601 */
      readonly startedAt: string;
      /** ISO 8601; not of a Map. */
      readonly updatedAt?: string;
    } & Partial<ItemCounts> &
      Where)
  /** A milestone of the definition is reached. */
  | ({
      readonly type: 'progress.milestone';
      /** Percent. */
      readonly at: number;
      readonly name?: string;
      readonly emit?: string;
    } & Where)
  | ({ readonly type: 'workflow.ended' } & WorkflowOutput);

/** How many items of a Map there are, and what became of them. */
interface ItemCounts {
  readonly total: number;
  readonly completed: number;
  readonly inProgress: number;
  readonly pending: number;
  readonly failed: number;
}

/** What a workflow with a budget has used, in all and by what used it. */
interface Costs {
  readonly total: Usage;
  readonly byState: Readonly<Record<string, Usage>>;
  readonly byCategory: Readonly<Record<string, Usage>>;
  readonly byModel: Readonly<Record<string, Usage>>;
}

/** How a run has ended; `usage` when its agents have said what they used. */
export type WorkflowOutput = { readonly usage?: Usage; readonly costs?: Costs } & (
  | { readonly status: 'succeeded'; readonly output: Json }
  | {
      readonly status: 'failed' | 'timedOut';
      readonly error: string | null;
      readonly cause: string | null;
    }
);

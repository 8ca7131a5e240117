import type { Json, JsonObject } from '../json.ts';

/** What every workflow format owes a host, the command, the workbench and the inspector. See docs/contract.md. */

export type WorkflowInput = {
  /** The data; an empty object when left out. */
  readonly input?: Json;
  /** The run's id; part of every idempotency key. */
  readonly id?: string;
  /** Facts about the run, such as who asked for it: `{ Execution: { Requestor: 'ada' } }`. */
  readonly context?: { readonly Execution?: JsonObject };
};

/** Events that every workflow accepts. */
export type WorkflowEvent =
  /** Completes the task that has the token. */
  | { readonly type: 'task.succeeded'; readonly token: string; readonly output: Json }
  /** Fails it. */
  | {
      readonly type: 'task.failed';
      readonly token: string;
      readonly error?: string;
      readonly cause?: string;
    };

/** Events that consumers act on. A format adds its own. */
export type WorkflowEmitted =
  | { readonly type: 'state.entered'; readonly state: string }
  /** A task waits for `task.succeeded` or `task.failed` with its token. */
  | {
      readonly type: 'task.scheduled';
      readonly state: string;
      readonly token: string;
      readonly resource: string;
      readonly input: Json;
    }
  /** A person has to decide. */
  | {
      readonly type: 'decision.requested';
      readonly state: string;
      readonly id: string;
      readonly prompt: string;
      readonly options: readonly string[];
    }
  | WorkflowEnded;

/** The last event. Its fields are the output of the actor. */
export type WorkflowEnded = { readonly type: 'workflow.ended' } & WorkflowOutput;

export type WorkflowOutput =
  | { readonly status: 'succeeded'; readonly output: Json }
  | {
      readonly status: 'failed' | 'timedOut';
      readonly error: string | null;
      readonly cause: string | null;
    };

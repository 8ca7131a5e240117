import { DramaturgError, type Json, type PortInput, type Usage } from '@dramaturg/compiler';
import type { workflow } from '@dramaturg/compiler/format';

/** Answers the calls of agents. */
export type AgentsPort = (
  call: PortInput<'runAgent'>,
  use: {
    readonly signal: AbortSignal;
    readonly complete: Complete;
    /** Reports that the work continues. */
    readonly heartbeat: () => void;
    /** Passes on a part of the answer while it is generated. */
    readonly onText: (part: string) => void;
    /** The trace of the call, for the requests of the agent. Absent without tracing. */
    readonly traceparent?: () => Promise<string | undefined>;
  },
) => Promise<{ readonly result: Json; readonly usage?: Usage }>;

/** Completes a waiting task by its token. */
export type Complete = (event: workflow.WorkflowEvent) => void;

/** Fails the task that has called an agent: `error` is the name that `Catch` and `Retry` of the workflow match. */
export class AgentError extends DramaturgError {
  override readonly name = 'AgentError';
  readonly error: string;

  constructor(error: string, cause: string) {
    super('agent/failed', cause, { cause });
    this.error = error;
  }
}

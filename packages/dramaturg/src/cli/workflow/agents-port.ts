import type { Json, PortInput, Usage, workflow } from '@dramaturg/compiler';

/** Answers the calls of agents. */
export type AgentsPort = (
  call: PortInput<'runAgent'>,
  use: {
    readonly signal: AbortSignal;
    readonly complete: Complete;
    /** Reports that the work goes on. */
    readonly heartbeat: () => void;
  },
) => Promise<{ readonly result: Json; readonly usage?: Usage }>;

/** Completes a waiting task by its token. */
export type Complete = (event: workflow.WorkflowEvent) => void;

import { type Compiled, isRecord, type Json, type PortInput } from '@dramaturg/compiler';

/**
 * Does the work of a task: a function, a runnable of LangChain, an agent of `createAgent`, or another definition, as
 * `compile` returns it.
 */
export type Agent = (((input: Json, call: AgentCall) => unknown) | Runnable | AgentDefinition) &
  Enforcing;

export interface Enforcing {
  /**
   * The fields of a definition that the agent enforces, such as `Tools`. If a definition demands more, the agent is not called.
   * Definitions and agents of LangChain enforce `Tools.Allowed` and `Tools.Denied`. A function enforces nothing by default.
   */
  readonly enforces?: readonly string[];
}

/** `key` is the idempotency key of the call. The other fields depend on the blocks of the task. */
export interface AgentCall extends Omit<PortInput<'runAgent'>, 'input'> {
  /** Aborted when the workflow no longer waits. */
  readonly signal: AbortSignal;
}

export interface Runnable {
  // Each runnable has its own type of input, and the input from a chart is known only at run time.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly invoke: (input: any, config?: any) => Promise<unknown>;
}

export type AgentDefinition = Pick<Compiled, 'machine' | 'diagnostics'>;

export function isDefinition(agent: Agent): agent is AgentDefinition {
  return isRecord(agent) && 'diagnostics' in agent;
}

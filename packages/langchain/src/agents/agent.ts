import { type Compiled, isRecord, type Json, type PortInput } from '@dramaturg/compiler';

/**
 * Does the work of a task: a function, a runnable of LangChain, an agent that `createAgent` has made, or another
 * definition, as `compile` returns it.
 */
export type Agent = ((input: Json, call: AgentCall) => unknown) | Runnable | AgentDefinition;

/** `key` is the same when the call is repeated after a crash; what else there is depends on the blocks of the task. */
export interface AgentCall extends Omit<PortInput<'runAgent'>, 'input'> {
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal;
}

export interface Runnable {
  // LangChain's runnables each have an input of their own; what a chart gives them is known only when it runs.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly invoke: (input: any, config?: any) => Promise<unknown>;
}

export type AgentDefinition = Pick<Compiled, 'machine' | 'diagnostics'>;

export function isDefinition(agent: Agent): agent is AgentDefinition {
  return isRecord(agent) && 'diagnostics' in agent;
}

import { isRecord, type Port } from '@dramaturg/compiler';
import { Circuit } from './circuit.ts';

/**
 * Keeps calls of workflows with a `CircuitBreaker` from agents that fail again and again. All runs that use the port share
 * the circuits, one for each agent. A host does this itself.
 *
 * @param now milliseconds since 1970 UTC
 *
 * @example
 * ```ts
 * const runAgent = breakCircuits(async () => ({ result: 40 }));
 * const actor = createActor(providePorts(pricing.machine!, { runAgent })).start();
 * console.log((await toPromise(actor)).output); // → 40
 * ```
 */
export function breakCircuits(
  runAgent: Port<'runAgent'>,
  now: () => number = Date.now,
): Port<'runAgent'> {
  const circuits = new Map<string, Circuit>();
  return async (input, call) => {
    const { agent, circuit: policy } = input;
    if (!policy) return runAgent(input, call);
    const circuit = circuits.get(agent) ?? new Circuit();
    circuits.set(agent, circuit);
    if (!circuit.admits(now())) throw circuitOpen(agent);
    try {
      const output = await runAgent(input, call);
      circuit.succeeded(policy);
      return output;
    } catch (error) {
      if (call.signal.aborted && !isTimeout(error)) circuit.dropped();
      else circuit.failed(policy, now());
      throw error;
    }
  };
}

/** A host that gives a call up aborts it too: that is a failure of the agent. */
function isTimeout(error: unknown): boolean {
  return isRecord(error) && error['code'] === 'port/timed-out';
}

function circuitOpen(agent: string): Error {
  const cause = `The agent "${agent}" has failed too often and is not called for a while.`;
  return Object.assign(new Error(cause), { error: 'Agent.CircuitOpen', cause });
}

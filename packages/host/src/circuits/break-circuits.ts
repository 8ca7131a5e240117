import { isRecord, type Port, type PortInput } from '@dramaturg/compiler';

/**
 * Stops calls of workflows with a `CircuitBreaker` to agents that fail again and again. All runs that use the port share the
 * circuits, one for each agent. A host does this itself.
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

/** A host also aborts a call that has timed out: that is a failure of the agent. */
function isTimeout(error: unknown): boolean {
  return isRecord(error) && error['code'] === 'port/timed-out';
}

function circuitOpen(agent: string): Error {
  const cause = `The agent "${agent}" has failed too often and is not called for a while.`;
  return Object.assign(new Error(cause), { error: 'Agent.CircuitOpen', cause });
}

/** The policy of when a circuit opens and closes. */
type CircuitPolicy = NonNullable<PortInput<'runAgent'>['circuit']>;

/**
 * Decides whether an agent is called.
 *
 * States: closed → open, after a number of failures in a row → half-open, after a time: one call at a time is tried → closed,
 * after a number of successes, or open again after a failure.
 */
class Circuit {
  #failures = 0;
  #successes = 0;
  /** Milliseconds since 1970 UTC: when a call is tried again. Absent while the circuit is closed. */
  #openUntil: number | undefined;
  #isTrying = false;

  /** Whether a call may be made now. A call that is admitted ends with `succeeded`, `failed` or `dropped`. */
  admits(now: number): boolean {
    if (this.#openUntil === undefined) return true;
    if (now < this.#openUntil || this.#isTrying) return false;
    this.#isTrying = true;
    return true;
  }

  succeeded({ successes }: CircuitPolicy): void {
    this.#failures = 0;
    if (this.#openUntil === undefined) return;
    this.#isTrying = false;
    this.#successes += 1;
    if (this.#successes >= successes) this.#openUntil = undefined;
  }

  failed({ failures, timeout }: CircuitPolicy, now: number): void {
    this.#failures += 1;
    this.#isTrying = false;
    if (this.#openUntil === undefined && this.#failures < failures) return;
    this.#openUntil = now + timeout;
    this.#successes = 0;
  }

  /** Notes an aborted call, which counts neither as a success nor as a failure. */
  dropped(): void {
    this.#isTrying = false;
  }
}

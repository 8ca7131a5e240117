import { type PortName, type Usage, usageSchema } from './contract.ts';
import { PortError } from './errors.ts';

/** A port call has cost something, whatever came of it. It is told once a call. Spec: docs/events.md#usage */
export type UsageRecorded = {
  readonly type: 'usage.recorded';
  readonly port: PortName;
  /** The idempotency key of the call. */
  readonly key: string;
} & Usage;

/** How a port call has ended. */
export type PortEnding = { readonly output: unknown } | { readonly error: unknown };

/** What a call has cost, if whoever answered it says so: in the output, or in the error of a call without an answer. */
export function usageIn(ending: PortEnding): Usage | undefined {
  const reported =
    'error' in ending
      ? ending.error instanceof PortError && ending.error.usage
      : (ending.output as { readonly usage?: unknown } | undefined)?.usage;
  // Outputs were checked by the port's schema; an error may have been made by anyone.
  return reported ? usageSchema.safeParse(reported).data : undefined;
}

/** The event that tells it. */
export function usageRecorded(port: PortName, key: string, usage: Usage): UsageRecorded {
  return { type: 'usage.recorded', port, key, ...usage };
}

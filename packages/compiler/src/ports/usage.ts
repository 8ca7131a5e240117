import { type PortName, type Usage, usageSchema } from './contract.ts';
import { PortError } from './errors.ts';

/** Reports the cost of a port call, successful or not. Emitted once a call. Spec: docs/events.md#usage */
export type UsageRecorded = {
  readonly type: 'usage.recorded';
  readonly port: PortName;
  /** The idempotency key of the call. */
  readonly key: string;
} & Usage;

/** The end of a port call. */
export type PortEnding = { readonly output: unknown } | { readonly error: unknown };

/** The cost of a call, if the port reports it: in the output, or in the error when the call failed. */
export function usageIn(ending: PortEnding): Usage | undefined {
  const reported =
    'error' in ending
      ? ending.error instanceof PortError && ending.error.usage
      : (ending.output as { readonly usage?: unknown } | undefined)?.usage;
  // Outputs were checked by the port's schema; an error may come from any code.
  return reported ? usageSchema.safeParse(reported).data : undefined;
}

/** Creates the event of a call's usage. */
export function usageRecorded(
  port: PortName,
  key: string,
  { counted: _counted, ...usage }: Usage,
): UsageRecorded {
  return { type: 'usage.recorded', port, key, ...usage };
}

import type { Json } from '../json.ts';
import { type PortInput, type PortName, type Usage, usageSchema } from './contract.ts';
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

/** The end of a definition that ran as an agent: a result, or an error with the definition's own name for it. */
export type AgentEnding =
  | { readonly result: Json; readonly usage?: Usage }
  | { readonly error: string; readonly cause: string; readonly usage?: Usage };

/** Turns the ending into the end of a `runAgent` call: an answer or an error. */
export function agentEnded(ending: AgentEnding): PortEnding {
  if (!('error' in ending)) return { output: ending };
  const { error, cause, usage } = ending;
  return {
    error: new PortError('port/failed', 'runAgent', cause, { cause: { error, cause }, usage }),
  };
}

/** How deep definitions may run one another. Deeper nesting counts as a cycle. */
export const nestingMax = 16;

/** The ending of a definition that would be nested too deeply. */
export function nestingExceeded(name: string): Extract<AgentEnding, { readonly error: string }> {
  const cause = `Definitions run one another ${nestingMax} levels deep. Does "${name}" run itself?`;
  return { error: 'States.NestingLimitExceeded', cause };
}

type Counting = Pick<PortInput<'countSpending'>, 'cost' | 'accounts'>;

/** Cost by the names of accounts. A type and not an interface, so that it is a `JsonObject`. */
export type CountedCost = { readonly [account: string]: number };

/** The name of an account. The hours and days of a workflow are one account. */
export function accountName(account: Counting['accounts'][number]): string {
  return 'pool' in account ? `pool/${account.pool}` : `workflow/${account.workflow}`;
}

/** The cost that a call adds to each account, without the part that nested definitions have counted there. */
export function costToCount({ cost, accounts }: Counting): CountedCost {
  return Object.fromEntries(
    accounts.map((account) => [accountName(account), Math.max(0, cost - (account.counted ?? 0))]),
  );
}

export function sumOfCounted(one: CountedCost = {}, other: CountedCost = {}): CountedCost {
  const sums = new Map(Object.entries(one));
  for (const [name, cost] of Object.entries(other)) sums.set(name, (sums.get(name) ?? 0) + cost);
  return Object.fromEntries(sums);
}

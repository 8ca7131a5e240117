import type { PortInput } from './contract.ts';

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

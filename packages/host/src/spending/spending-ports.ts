import type { Ports } from '@dramaturg/compiler';
import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real.ts';
import { readSpending, SpendingFile } from './spending-file.ts';
import { SpendingLedger } from './spending-ledger.ts';

export interface SpendingOptions {
  /** The real clock by default. */
  readonly clock?: Pick<Clock, 'world'>;
  /** The JSON file for what was spent. Without it, the counts are lost when the process ends. */
  readonly file?: string;
  /** The size of each pool, in the currency of the agents. */
  readonly pools?: Readonly<Record<string, number>>;
}

/**
 * Answers the port `countSpending`: it counts the cost of all runs that share an account, which are those of one workflow
 * and those that draw on one pool. A pool without a size is refused, because its limit could not be enforced.
 *
 * @throws Error when the file exists and is not a file of spending
 */
export function spendingPorts({
  clock = realClock(),
  file,
  pools = {},
}: SpendingOptions = {}): Pick<Ports, 'countSpending'> {
  const ledger = new SpendingLedger(file === undefined ? undefined : readSpending(file));
  const stored = file === undefined ? undefined : new SpendingFile(file, () => ledger.stored());
  let isStored = true;
  const sizeOf = (pool: string): number => {
    if (Object.hasOwn(pools, pool)) return pools[pool]!;
    throw new Error(
      `The size of the pool ${JSON.stringify(pool)} is unknown. Give it: --pool ${pool}=100, or spendingPorts({ pools: { ... } }).`,
    );
  };
  return {
    async countSpending(input) {
      const limits = input.accounts.map((account) =>
        'pool' in account ? { limit: sizeOf(account.pool) } : {},
      );
      const now = clock.world.now();
      if (ledger.add(input, now)) isStored = false;
      // A call that is repeated after an error of the file changes nothing, but may not be stored.
      if (!isStored) await stored?.save();
      isStored = true;
      return {
        accounts: input.accounts.map((account, index) => ({
          cost: ledger.spent(account, now),
          ...limits[index],
        })),
      };
    },
  };
}

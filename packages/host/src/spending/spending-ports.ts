import type { Ports } from '@dramaturg/compiler';
import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real.ts';
import { readSpending, spendingFile } from './spending-file.ts';
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
 * The file is read in the background. Each call waits for that, and rejects when the file is not a file of spending.
 */
export function spendingPorts({
  clock = realClock(),
  file,
  pools = {},
}: SpendingOptions = {}): Pick<Ports, 'countSpending'> {
  const reading = ledgerOf(file);
  // Reported by each call.
  reading.catch(() => undefined);
  const stored = file === undefined ? undefined : spendingFile(file, () => reading);
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
      const ledger = await reading;
      const now = clock.world.now();
      // A call that is repeated after an error of the file changes nothing, but may not be stored.
      await (ledger.add(input, now) ? stored?.save() : stored?.saved());
      return {
        accounts: input.accounts.map((account, index) => ({
          cost: ledger.spent(account, now),
          ...limits[index],
        })),
      };
    },
  };
}

async function ledgerOf(file: string | undefined): Promise<SpendingLedger> {
  return new SpendingLedger(file === undefined ? undefined : await readSpending(file));
}

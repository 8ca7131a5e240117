import type { Ports } from '@dramaturg/compiler';
import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real.ts';
import { SpendingLedger } from './spending-ledger.ts';

export interface PoolOptions {
  /** The real clock by default. */
  readonly clock?: Pick<Clock, 'world'>;
  /** The size of each pool, in the currency of the agents. */
  readonly pools?: Readonly<Record<string, number>>;
}

/** Where the counts are kept. */
interface SpendingStore {
  readonly ledger: Promise<SpendingLedger>;
  /** Fulfils when all changes so far are stored. */
  readonly save: () => Promise<void>;
  /** Fulfils when the changes of earlier calls are stored. */
  readonly saved: () => Promise<void>;
}

/** The port `countSpending` over counts that are kept somewhere. */
export function countSpendingIn(
  { ledger: reading, save, saved }: SpendingStore,
  { clock = realClock(), pools = {} }: PoolOptions,
): Pick<Ports, 'countSpending'> {
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
      // A call that is repeated after an error of the store changes nothing, but may not be stored.
      await (ledger.add(input, now) ? save() : saved());
      return {
        accounts: input.accounts.map((account, index) => ({
          cost: ledger.spent(account, now),
          ...limits[index],
        })),
      };
    },
  };
}

/** The port `countSpending` for browsers: the counts end with the page. */
export function spendingInMemory(options: PoolOptions = {}): Pick<Ports, 'countSpending'> {
  const done = () => Promise.resolve();
  const ledger = Promise.resolve(new SpendingLedger());
  return countSpendingIn({ ledger, save: done, saved: done }, options);
}

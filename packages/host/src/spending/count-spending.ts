import type { PortInput, Ports } from '@dramaturg/compiler';
import { accountName, costToCount } from '@dramaturg/compiler/machine';
import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real.ts';

export interface PoolOptions {
  /** The real clock by default. */
  readonly clock?: Pick<Clock, 'world'>;
  /** The size of each pool, in the currency of the agents. */
  readonly pools?: Readonly<Record<string, number>>;
}

/** The storage of the counts. */
interface SpendingStore {
  readonly ledger: Promise<SpendingLedger>;
  /** Fulfils when all changes so far are stored. */
  readonly save: () => Promise<void>;
  /** Fulfils when the changes of earlier calls are stored. */
  readonly saved: () => Promise<void>;
}

/** Creates the port `countSpending` over a storage of counts. */
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
      // A call that is repeated after an error of the store changes nothing, but the first call's change may not be stored.
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

/** Creates the port `countSpending` for browsers: the counts end with the page. */
export function spendingInMemory(options: PoolOptions = {}): Pick<Ports, 'countSpending'> {
  const done = () => Promise.resolve();
  const ledger = Promise.resolve(new SpendingLedger());
  return countSpendingIn({ ledger, save: done, saved: done }, options);
}

type Account = PortInput<'countSpending'>['accounts'][number];

/** The cost of one minute: its start in milliseconds since 1970 UTC, and the sum. */
type Minute = readonly [at: number, cost: number];

/** The ledger as JSON. */
export interface StoredSpending {
  /** The keys of the latest calls, the oldest first. */
  readonly keys: readonly string[];
  readonly accounts: Readonly<Record<string, StoredAccount>>;
}

interface StoredAccount {
  /** All cost so far. */
  readonly total: number;
  /** The minutes of the last day that have cost, the oldest first. */
  readonly minutes: readonly Minute[];
}

const minute = 60_000;
const day = 24 * 60 * minute;

/** The number of keys to keep. A call is repeated only after a crash, so few other calls come in between. */
const keysMax = 4_096;

/** The spending of each account. It counts by the minute, so its size does not grow with the number of calls. */
export class SpendingLedger {
  readonly #keys: Set<string>;
  readonly #accounts: Map<string, StoredAccount>;

  constructor({ keys, accounts }: StoredSpending = { keys: [], accounts: {} }) {
    this.#keys = new Set(keys);
    this.#accounts = new Map(Object.entries(accounts));
  }

  /** Adds a cost once for each key. @returns whether anything has changed */
  add({ key, ...counting }: PortInput<'countSpending'>, now: number): boolean {
    if (counting.cost === 0 || this.#keys.has(key)) return false;
    this.#keys.add(key);
    const [oldest] = this.#keys;
    if (this.#keys.size > keysMax) this.#keys.delete(oldest!);
    for (const [name, cost] of Object.entries(costToCount(counting)))
      if (cost > 0) this.#addTo(name, cost, now);
    return true;
  }

  /** The cost of an account, in its window if it has one. */
  spent(account: Account, now: number): number {
    const { total, minutes } = this.#accounts.get(accountName(account)) ?? nothing;
    if (!('within' in account)) return total;
    // A minute counts until the window has passed its end.
    const from = now - account.within - minute;
    return minutes.reduce((sum, [at, cost]) => (at > from ? sum + cost : sum), 0);
  }

  stored(): StoredSpending {
    return { keys: [...this.#keys], accounts: Object.fromEntries(this.#accounts) };
  }

  #addTo(name: string, cost: number, now: number): void {
    const { total, minutes } = this.#accounts.get(name) ?? nothing;
    const at = now - (now % minute);
    const recent = minutes.filter(([start]) => start > now - day - minute);
    const last = recent.at(-1);
    const added: Minute[] =
      last?.[0] === at ? [...recent.slice(0, -1), [at, last[1] + cost]] : [...recent, [at, cost]];
    this.#accounts.set(name, { total: total + cost, minutes: added });
  }
}

const nothing: StoredAccount = { total: 0, minutes: [] };

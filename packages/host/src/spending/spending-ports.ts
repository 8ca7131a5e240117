import type { Ports } from '@dramaturg/compiler';
import { countSpendingIn, type PoolOptions, spendingInMemory } from './count-spending.ts';
import { readSpending, spendingFile } from './spending-file.ts';
import { SpendingLedger } from './spending-ledger.ts';

export interface SpendingOptions extends PoolOptions {
  /** The JSON file for what was spent. Without it, the counts are lost when the process ends. */
  readonly file?: string;
}

/**
 * Answers the port `countSpending`: it counts the cost of all runs that share an account, which are those of one workflow
 * and those that draw on one pool. A pool without a size is refused, because its limit could not be enforced.
 *
 * The file is read in the background. Each call waits for that, and rejects when the file is not a file of spending.
 *
 * @example
 * ```ts
 * const { machine } = compile(`
 * StartAt: Price
 * Budget: { MaxCostPerDay: $1.00 }
 * States: { Price: { Type: Task, Agent: Price, End: true } }`);
 * const runAgent = async () => ({ result: 40, usage: { cost: 0.25 } });
 * const ports = { runAgent, ...spendingPorts({ file: 'spending.json' }) };
 * console.log((await toPromise(createActor(providePorts(machine!, ports)).start())).output); // → 40
 * ```
 */
export function spendingPorts({ file, ...options }: SpendingOptions = {}): Pick<
  Ports,
  'countSpending'
> {
  if (file === undefined) return spendingInMemory(options);
  const ledger = readSpending(file).then((stored) => new SpendingLedger(stored));
  // Reported by each call.
  ledger.catch(() => undefined);
  const stored = spendingFile(file, () => ledger);
  return countSpendingIn(
    { ledger, save: () => stored.save(), saved: () => stored.saved() },
    options,
  );
}

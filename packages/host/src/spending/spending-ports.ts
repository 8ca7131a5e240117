import type { Ports } from '@dramaturg/compiler';
import { readWholeFile, WholeFile } from '../store/disk/whole-file.ts';
import {
  countSpendingIn,
  type PoolOptions,
  spendingInMemory,
  SpendingLedger,
  type StoredSpending,
} from './count-spending.ts';

export interface SpendingOptions extends PoolOptions {
  /** The JSON file for the spending. Without it, the counts are lost when the process ends. */
  readonly file?: string;
}

/**
 * Answers the port `countSpending`: it counts the cost of all runs that share an account: the runs of one workflow, or of one
 * pool. A pool without a size is refused, because its limit could not be enforced.
 *
 * The file is read in the background. Each call waits for this, and rejects when the file is not a file of spending.
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

/** A JSON file with the spending. */
function spendingFile(path: string, ledger: () => Promise<SpendingLedger>): WholeFile {
  return new WholeFile(path, async function* () {
    yield `${JSON.stringify((await ledger()).stored())}\n`;
  });
}

/**
 * Reads a file with the spending; undefined when it does not exist.
 *
 * @throws Error when the file exists and is not a file of this kind
 */
function readSpending(path: string): Promise<StoredSpending | undefined> {
  return readWholeFile(path, 'a file of spending', (text) => {
    const stored = JSON.parse(text) as StoredSpending;
    if (!Array.isArray(stored.keys)) throw new Error('it has no list "keys"');
    return stored;
  });
}

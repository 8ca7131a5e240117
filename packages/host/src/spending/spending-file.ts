import { readWholeFile, WholeFile } from '../store/disk/whole-file.ts';
import type { SpendingLedger, StoredSpending } from './spending-ledger.ts';

/** A JSON file with what was spent. */
export function spendingFile(path: string, ledger: () => Promise<SpendingLedger>): WholeFile {
  return new WholeFile(path, async function* () {
    yield `${JSON.stringify((await ledger()).stored())}\n`;
  });
}

/**
 * Reads a file with what was spent; undefined when there is none.
 *
 * @throws Error when the file exists and is not a file of this kind
 */
export function readSpending(path: string): Promise<StoredSpending | undefined> {
  return readWholeFile(path, 'a file of spending', (text) => {
    const stored = JSON.parse(text) as StoredSpending;
    if (!Array.isArray(stored.keys)) throw new Error('it has no list "keys"');
    return stored;
  });
}

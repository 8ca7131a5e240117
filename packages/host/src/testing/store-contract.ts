import { describe } from 'vitest';
import type { StoreLocation } from '../store/contract.ts';
import { hostileText } from './store-contract/hostile-text.ts';
import { letters } from './store-contract/letters.ts';
import { lines } from './store-contract/lines.ts';
import { lists } from './store-contract/lists.ts';
import { ownership } from './store-contract/ownership.ts';
import { randomWrites } from './store-contract/random-writes.ts';
import { records } from './store-contract/records.ts';
import { factsOf } from './store-contract/stage.ts';
import { timers } from './store-contract/timers.ts';

export interface StoreContractOptions {
  /** Tests that this store does not pass, by name, with the reason. They are shown as skipped. */
  readonly skip?: readonly { readonly reason: string; readonly tests: readonly string[] }[];
}

/**
 * Registers the tests that every store passes. They know nothing of files, of processes or of the time of day, so that a
 * store on a distributed engine can pass them too.
 *
 * @param makeStore a new place with nothing in it; called once per test. The caller also removes it.
 */
export function storeContract(
  makeStore: () => StoreLocation | Promise<StoreLocation>,
  { skip = [] }: StoreContractOptions = {},
): void {
  const reasons = new Map(skip.flatMap(({ reason, tests }) => tests.map((name) => [name, reason])));
  const chapters = { records, letters, timers, lines, lists, hostileText, ownership, randomWrites };
  for (const [title, chapter] of Object.entries(chapters)) {
    // oxlint-disable-next-line vitest/valid-title -- The chapters are named once, above.
    describe(title, () => {
      chapter(factsOf(makeStore, reasons));
    });
  }
}

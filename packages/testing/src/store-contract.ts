import { describe } from 'vitest';
import type { StoreLocation } from '@dramaturg/host';
import { backup, damage, verification } from './store-contract/damage.ts';
import { compaction } from './store-contract/compaction.ts';
import { deletion } from './store-contract/deletion.ts';
import { feed } from './store-contract/feed.ts';
import { hostileText } from './store-contract/hostile-text.ts';
import { letters, lines } from './store-contract/letters.ts';
import { attention, lists } from './store-contract/lists.ts';
import { ownership } from './store-contract/ownership.ts';
import { parts, partsOnDisk, reading, records } from './store-contract/records.ts';
import { randomWrites } from './store-contract/random-writes.ts';
import { type DiskStores, diskFactsOf, factsOf } from './store-contract/stage.ts';
import { timers } from './store-contract/timers.ts';

export interface StoreContractOptions {
  /** Tests that this store does not pass, by name, with the reason. They are shown as skipped. */
  readonly skip?: readonly { readonly reason: string; readonly tests: readonly string[] }[];
  /** The share of the random writes and changed bytes that is tried: 1 by default, which is all of them. */
  readonly share?: number;
  /** For a store on a disk: tests that look at its files. */
  readonly disk?: DiskStores;
}

/**
 * Registers the tests that every store passes. They do not depend on processes or the time of day, and on files only for a store
 * with `disk`, so that a store on a distributed engine can pass them too.
 *
 * @param makeStore makes a new, empty place; called once for each test. The caller also removes it.
 */
export function storeContract(
  makeStore: () => StoreLocation | Promise<StoreLocation>,
  { skip = [], share = 1, disk }: StoreContractOptions = {},
): void {
  const reasons = new Map(skip.flatMap(({ reason, tests }) => tests.map((name) => [name, reason])));
  const chapters = {
    records,
    parts,
    letters,
    timers,
    lines,
    feed,
    attention,
    lists,
    hostileText,
    ownership,
    randomWrites,
    deletion,
    reading,
    verification,
  };
  // oxlint-disable vitest/valid-title -- The chapters are named here.
  for (const [title, chapter] of Object.entries(chapters))
    describe(title, () => {
      chapter(factsOf(makeStore, reasons), share);
    });
  for (const [title, chapter] of Object.entries({ partsOnDisk, compaction, backup, damage }))
    describe(title, () => {
      chapter(diskFactsOf(disk, reasons), share);
    });
}

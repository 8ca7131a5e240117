import { expect, test } from 'vitest';
import { run } from '../src/run.ts';
import { storeKinds } from '../src/store-kind.ts';

test.each(storeKinds)(
  'a host on a %s store that is killed 30 times loses nothing, sends nothing twice and keeps the order',
  { timeout: 600_000 },
  async (store) => {
    const report = await run({ kills: 30, seed: 5, store, lanes: 2 });
    expect(report.complaints).toEqual([]);
    expect(report).toMatchObject({ kills: 30, lost: 0, duplicated: 0, reordered: 0 });
    // How much was done between the kills depends on the machine.
    expect(report.messages).toBeGreaterThan(10);
    expect(report.timers).toBeGreaterThan(0);
    expect(report.turns).toBeGreaterThan(0);
  },
);

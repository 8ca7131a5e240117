import { describe, expect, test } from 'vitest';
import { whyNoFaults } from '../src/faults/fault-library.ts';
import { whyNoFullDisk } from '../src/full-disk.ts';
import { run } from '../src/run.ts';
import { whyNoPostgres, whyNoRestate } from '@dramaturg/test-servers';
import { diskStoreKinds } from '../src/store-kind.ts';

const faultless = { complaints: [], lost: 0, duplicated: 0, reordered: 0, damaged: 0 };
const timeout = 600_000;

test.for(diskStoreKinds)(
  'a host on a %s store that is killed 30 times loses nothing, sends nothing twice and keeps the order',
  { timeout },
  async (store) => {
    const report = await run({ trouble: 'kills', times: 30, seed: 5, store, lanes: 2 });
    expect(report).toMatchObject({ times: 30, ...faultless });
    // How much was done between the kills depends on the machine.
    expect(report.messages).toBeGreaterThan(10);
    expect(report.timers).toBeGreaterThan(0);
    expect(report.turns).toBeGreaterThan(0);
  },
);

test.for(diskStoreKinds)(
  'a host on a %s store whose system calls fail loses nothing, sends nothing twice and damages nothing',
  { timeout },
  async (store, { skip }) => {
    const reason = whyNoFaults();
    if (reason !== undefined) skip(reason);
    const report = await run({ trouble: 'faults', times: 60, seed: 5, store, lanes: 2 });
    expect(report).toMatchObject(faultless);
    expect(report.times).toBeGreaterThanOrEqual(60);
    expect(report.messages).toBeGreaterThan(0);
  },
);

test.for(diskStoreKinds)(
  'a host on a %s store whose disk is full now and then loses nothing, sends nothing twice and damages nothing',
  { timeout },
  async (store, { skip }) => {
    const reason = whyNoFullDisk();
    if (reason !== undefined) skip(reason);
    const report = await run({ trouble: 'fills', times: 8, seed: 5, store, lanes: 2 });
    expect(report).toMatchObject({ times: 8, ...faultless });
    expect(report.messages).toBeGreaterThan(0);
  },
);

describe.skipIf(whyNoPostgres())(
  `on Postgres${whyNoPostgres() ? ` (${whyNoPostgres()})` : ''}`,
  () => {
    test(
      'a host that is killed 20 times loses nothing and sends nothing twice',
      { timeout },
      async () => {
        const report = await run({
          trouble: 'kills',
          times: 20,
          seed: 5,
          store: 'postgres',
          lanes: 1,
        });
        expect(report).toMatchObject({ times: 20, ...faultless });
      },
    );

    test(
      'two hosts lose nothing and send nothing twice, although the active one, the server and the traffic fail',
      { timeout },
      async () => {
        const outages = { trouble: 'outages', times: 20, seed: 5, store: 'postgres' } as const;
        const report = await run({ ...outages, lanes: 1 });
        expect(report).toMatchObject({ times: 20, ...faultless });
        expect(report.takeovers.length).toBeGreaterThan(0);
      },
    );
  },
);

describe.skipIf(whyNoRestate())(`on Restate${whyNoRestate() ? ` (${whyNoRestate()})` : ''}`, () => {
  test(
    'three hosts lose nothing and send nothing twice, although hosts, the server and the traffic fail',
    { timeout },
    async () => {
      const outages = { trouble: 'outages', times: 10, seed: 5, store: 'restate' } as const;
      const report = await run({ ...outages, lanes: 1 });
      expect(report).toMatchObject({ times: 10, ...faultless });
      expect(report.messages).toBeGreaterThan(0);
    },
  );
});

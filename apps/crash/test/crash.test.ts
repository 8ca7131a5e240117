import { describe, expect, test } from 'vitest';
import { runsAll } from '../../../.config/scaled.ts';
import { whyNoFaults } from '../src/faults/fault-library.ts';
import { whyNoFullDisk } from '../src/lane.ts';
import { run } from '../src/run.ts';
import { whyNoPostgres, whyNoRestate } from '@dramaturg/test-servers';
import { diskStoreKinds } from '../src/protocol.ts';

const faultless = { complaints: [], lost: 0, duplicated: 0, reordered: 0, damaged: 0 };
/** How often there is trouble for each store. `npm run crash` makes it thousands of times. */
const times = runsAll
  ? { kills: 3, faults: 2, fills: 1, cuts: 20, outages: 2 }
  : { kills: 1, faults: 1, fills: 0, cuts: 0, outages: 0 };
/** In the short tests, what is done between the kills depends on the machine. */
const least = runsAll ? 1 : 0;
const lanes = 1;

test.for(diskStoreKinds)(
  'a host on a %s store that is killed again and again loses nothing, sends nothing twice and keeps the order',
  async (store) => {
    const report = await run({ trouble: 'kills', times: times.kills, seed: 5, store, lanes });
    expect(report).toMatchObject({ times: times.kills, ...faultless });
    expect(report.messages).toBeGreaterThan(0);
    expect(report.timers).toBeGreaterThanOrEqual(least);
    expect(report.turns).toBeGreaterThanOrEqual(least);
  },
);

test.for(runsAll ? diskStoreKinds : diskStoreKinds.slice(-1))(
  'a host on a %s store whose system calls fail loses nothing, sends nothing twice and damages nothing',
  async (store, { skip }) => {
    const reason = whyNoFaults();
    if (reason !== undefined) skip(reason);
    const report = await run({ trouble: 'faults', times: times.faults, seed: 5, store, lanes });
    expect(report).toMatchObject(faultless);
    expect(report.times).toBeGreaterThanOrEqual(times.faults);
    expect(report.messages).toBeGreaterThan(0);
  },
);

test.for(diskStoreKinds)(
  'a host on a %s store whose disk is full now and then loses nothing, sends nothing twice and damages nothing',
  async (store, { skip }) => {
    const reason = runsAll ? whyNoFullDisk() : 'Runs in npm run test:all.';
    if (reason !== undefined) skip(reason);
    const report = await run({ trouble: 'fills', times: times.fills, seed: 5, store, lanes });
    expect(report).toMatchObject({ times: times.fills, ...faultless });
    expect(report.messages).toBeGreaterThan(0);
  },
);

test.for(diskStoreKinds)(
  'a %s store whose power is cut has what it has promised, and is not called damaged',
  async (store, { skip }) => {
    const reason = runsAll ? whyNoFaults() : 'Runs in npm run test:all.';
    if (reason !== undefined) skip(reason);
    const report = await run({ trouble: 'cuts', times: times.cuts, seed: 5, store, lanes });
    expect(report).toMatchObject({ times: times.cuts, ...faultless });
  },
);

describe.skipIf(whyNoPostgres())(
  `on Postgres${whyNoPostgres() ? ` (${whyNoPostgres()})` : ''}`,
  () => {
    test('a host that is killed again and again loses nothing and sends nothing twice', async () => {
      const report = await run({
        trouble: 'kills',
        times: times.kills,
        seed: 5,
        store: 'postgres',
        lanes,
      });
      expect(report).toMatchObject({ times: times.kills, ...faultless });
    });

    test('two hosts lose nothing and send nothing twice, although the active one, the server and the traffic fail', async () => {
      const outages = {
        trouble: 'outages',
        times: times.outages,
        seed: 5,
        store: 'postgres',
      } as const;
      const report = await run({ ...outages, lanes });
      expect(report).toMatchObject({ times: times.outages, ...faultless });
      expect(report.takeovers.length).toBeGreaterThan(0);
    });
  },
);

describe.skipIf(whyNoRestate())(`on Restate${whyNoRestate() ? ` (${whyNoRestate()})` : ''}`, () => {
  test('three hosts lose nothing and send nothing twice, although hosts, the server and the traffic fail', async () => {
    const outages = {
      trouble: 'outages',
      times: times.outages,
      seed: 5,
      store: 'restate',
    } as const;
    const report = await run({ ...outages, lanes });
    expect(report).toMatchObject({ times: times.outages, ...faultless });
    expect(report.messages).toBeGreaterThan(0);
  });
});

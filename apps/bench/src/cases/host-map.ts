import { join } from 'node:path';
import { type StoreKind, storeFolder, storeKinds } from '../host/stores.ts';
import { type Benchmark, readingsOf } from '../measure.ts';
import { OwnProcess, sampleOnce } from '../own-process/own-process.ts';

const rounds = 3;

const settingsOf = (name: string, kind: StoreKind) => ({
  kind,
  folder: storeFolder(`${name}-${kind}`),
});

const inHost = (module: string) => join(import.meta.dirname, '../host', module);

/** Maps whose items are tasks that are answered at once, or end at once, on a host and without one. */
export const durableMap: readonly Benchmark[] = [
  ...storeKinds.flatMap(mapsOn),
  {
    // A lowdb store keeps all of it in memory.
    name: 'peak of the heap in a durable Map of 100000 tasks on sqlite',
    unit: 'MB',
    atMost: 200,
    rounds: 1,
    prepare: async () => {
      const options = ['--max-old-space-size=256'];
      const settings = settingsOf('map-memory', 'sqlite');
      return async () => (await sampleOnce(inHost('map-memory.ts'), settings, options))['peak']!;
    },
  },
];

function mapsOn(kind: StoreKind): readonly Benchmark[] {
  return readingsOf(
    async () => {
      const settings = settingsOf('map', kind);
      const measurement = await OwnProcess.prepared(inHost('map-run.ts'), settings);
      return () => measurement.sample();
    },
    {
      ...rowsOf('task', 'tasks', kind),
      ...rowsOf('pass', 'Pass states', kind),
      bytes: {
        name: `a stored state of a durable Map of 10000 tasks on ${kind}`,
        unit: 'B',
        rounds,
      },
      bytesGrowth: {
        name: `a stored state of a durable Map of 10000 tasks over one of 1000 on ${kind}`,
        unit: '×',
        atMost: 1.5,
        rounds,
      },
    },
  );
}

function rowsOf(key: string, items: string, kind: StoreKind) {
  const over = (size: number) =>
    `durable Map of ${size} ${items} on ${kind} over the same without a store`;
  return {
    [`${key}250`]: { name: over(250), unit: '×', rounds },
    [`${key}1000`]: { name: over(1000), unit: '×', rounds },
    [`${key}10000`]: { name: over(10_000), unit: '×', atMost: 15, rounds },
    [`${key}Growth`]: {
      name: `an item of 10000 over an item of 1000 in a durable Map of ${items} on ${kind}`,
      unit: '×',
      atMost: 2,
      rounds,
    },
    [`${key}Item`]: {
      name: `an item of 10000 in a durable Map of ${items} on ${kind}`,
      unit: 'µs',
      rounds,
    },
  };
}

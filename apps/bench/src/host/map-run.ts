import type { JsonObject } from 'dramaturg';
import type { Benchmark, Prepare, ReadingRow } from '../measure.ts';
import { double, mapOfPass, mapOfTask, numbersTo, ours } from '../workflows/contenders.ts';
import {
  type CountedWrite,
  countingStore,
  mean,
  onStores,
  type StoreSettings,
  timed,
} from './stores.ts';
import { memoryOfMap, runDurably } from './map-memory.ts';

const few = 1000;
const many = 10_000;
const sizes = [250, few, many];

const definitions: readonly (readonly [kind: string, definition: JsonObject])[] = [
  ['task', mapOfTask],
  ['pass', mapOfPass],
];

/** Measures Maps on a host whose agents answer at once, and the same Maps without a host. */
export const prepare: Prepare<StoreSettings> = async (settings, onProgress) => {
  const durably = (definition: JsonObject, size: number) =>
    runDurably(settings, { definition, size });
  for (const [, definition] of definitions) {
    await repeated(20, () => alone(definition, few));
    await repeated(3, () => durably(definition, few));
  }
  return {
    sample: async () => {
      const readings: Record<string, number> = {};
      for (const [kind, definition] of definitions) {
        const items = new Map<number, number>();
        for (const size of sizes) {
          onProgress(`a Map of ${size} items (${kind}) on ${settings.kind}`);
          const runs = Math.ceil(few / size);
          const bareMs = await repeated(3 * runs, () => alone(definition, size));
          const ms = await repeated(runs, () => durably(definition, size));
          readings[`${kind}${size}`] = ms / bareMs;
          items.set(size, ms / size);
        }
        readings[`${kind}Growth`] = items.get(many)! / items.get(few)!;
        readings[`${kind}Item`] = items.get(many)! * 1000;
      }
      const [small, large] = [await bytesOf(settings, few), await bytesOf(settings, many)];
      return { ...readings, bytes: large, bytesGrowth: large / small };
    },
  };
};

/** The mean of several runs. */
async function repeated(runs: number, run: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  while (times.length < runs) times.push(await run());
  return mean(times);
}

/** The duration of a run without a store, in milliseconds. */
function alone(definition: JsonObject, size: number): Promise<number> {
  return timed(ours(definition, numbersTo(size), (_, input) => double(input)));
}

/** The mean number of bytes of the snapshots that a host stores during a Map. */
async function bytesOf(settings: StoreSettings, size: number): Promise<number> {
  const writes: CountedWrite[] = [];
  const around = (store: Parameters<typeof countingStore>[0]) => countingStore(store, writes);
  await runDurably(settings, { definition: mapOfTask, size, around });
  const quarter = Math.floor(writes.length / 4);
  return mean(writes.slice(quarter, -quarter).map(({ stateBytes = 0 }) => stateBytes));
}

/** Maps whose items are tasks that are answered at once, or end at once, on a host and without one. */
export const durableMap: readonly Benchmark[] = [
  ...onStores(
    import.meta.filename,
    (kind) => ({
      ...rowsOf('task', `tasks on ${kind}`),
      ...rowsOf('pass', `Pass states on ${kind}`),
      bytes: [`a stored state of a durable Map of 10000 tasks on ${kind}`, 'B'],
      bytesGrowth: [
        `a stored state of a durable Map of 10000 tasks over one of 1000 on ${kind}`,
        '×',
        1.5,
      ],
    }),
    { rounds: 3 },
  ),
  memoryOfMap,
];

function rowsOf(key: string, items: string): Readonly<Record<string, ReadingRow>> {
  const over = (size: number) => `durable Map of ${size} ${items} over the same without a store`;
  return {
    [`${key}250`]: [over(250), '×'],
    [`${key}1000`]: [over(1000), '×'],
    [`${key}10000`]: [over(10_000), '×', 15],
    [`${key}Growth`]: [
      `an item of 10000 over an item of 1000 in a durable Map of ${items}`,
      '×',
      2,
    ],
    [`${key}Item`]: [`an item of 10000 in a durable Map of ${items}`, 'µs'],
  };
}

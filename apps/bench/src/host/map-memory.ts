import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreLocation } from '@dramaturg/host';
import { compile, createHost, type JsonObject } from 'dramaturg';
import type { Benchmark, Prepare } from '../measure.ts';
import { sampleOnce } from '../own-process/own-process.ts';
import { double, largeMapOfTask, numbersTo } from '../workflows/contenders.ts';
import { storeAt, storeFolder, type StoreSettings, timed } from './stores.ts';

/** Measures the heap while a Map of 100,000 items runs. */
export const prepare: Prepare<StoreSettings> = async (settings) => ({
  sample: async () => {
    let peak = 0;
    const look = () => (peak = Math.max(peak, process.memoryUsage().heapUsed));
    const timer = setInterval(look, 20);
    await runDurably(settings, { definition: largeMapOfTask, size: 100_000, dialect: 'agent' });
    clearInterval(timer);
    return { peak: peak / 1e6 };
  },
});

interface DurableMap {
  readonly definition: JsonObject;
  readonly size: number;
  /** The dialect; `amazon` when left out. */
  readonly dialect?: string;
  /** Wraps the store. */
  readonly around?: (store: StoreLocation) => StoreLocation;
}

let count = 0;

/** Runs a Map in a new store, with agents that answer at once. @returns milliseconds from the start until the end is stored */
export async function runDurably(
  settings: StoreSettings,
  { definition, size, dialect = 'amazon', around = (store) => store }: DurableMap,
): Promise<number> {
  count += 1;
  const name = `map-${count}`;
  const flow = compile(JSON.stringify(definition), { format: 'asl', options: { dialect } });
  const host = await createHost({
    store: around(storeAt(settings, 'always', name)),
    definitions: { flow },
    ports: { runAgent: async ({ input }) => ({ result: double(input) }) },
    channels: {},
  });
  const events = host.events({ types: ['workflow.ended'] });
  const ms = await timed(async () => {
    await host.start('flow', { id: 'run', input: { input: numbersTo(size) } });
    const { value } = await events.next();
    const { status } = (value as { readonly event: { readonly status?: string } }).event;
    if (status !== 'succeeded') throw new Error(JSON.stringify(value).slice(0, 1000));
  });
  await host.stop();
  for (const ending of ['', '.db', '.db-wal', '.db-shm'])
    rmSync(join(settings.folder, `${name}${ending}`), { recursive: true, force: true });
  return ms;
}

/** A lowdb store keeps all of the Map in memory, so only sqlite is measured. */
export const memoryOfMap: Benchmark = {
  name: 'peak of the heap in a durable Map of 100000 tasks on sqlite',
  unit: 'MB',
  atMost: 200,
  rounds: 1,
  prepare: async () => {
    const settings = { kind: 'sqlite', folder: storeFolder('map-memory-sqlite') };
    const options = ['--max-old-space-size=256'];
    return async () => (await sampleOnce(import.meta.filename, settings, options))['peak']!;
  },
};

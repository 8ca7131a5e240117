import { join } from 'node:path';
import { type Benchmark, type Prepare, readingsOf } from '../measure.ts';
import { sampleOnce } from '../own-process/own-process.ts';
import { PlainFile, quantile, storeAt, storeFolder, type StoreSettings, timed } from './stores.ts';
import { idOf, populated } from './population.ts';
import { Stage } from './stage.ts';

const samples = 2_000;

export interface WakingSettings extends StoreSettings {
  readonly count: number;
}

/** The approximate size of the write that stores a message. */
const write = { bytes: 4_000, isFlushed: true };

/**
 * Measures the time until a message to one of many idle instances is stored. Each turn ends before the next message.
 * After each message, a flush of a plain file is timed, because the device often causes the slowest samples.
 */
export const prepare: Prepare<WakingSettings> = async (settings) => {
  const stage = await Stage.open(storeAt(settings, 'always'));
  // Starts at the current time, so that message ids differ from those of earlier rounds on the same store.
  let turn = Date.now();
  const file = new PlainFile(join(settings.folder, 'plain'));
  const wake = async () => {
    turn += 1;
    const id = idOf(Math.floor(Math.random() * settings.count));
    const answered = stage.receiptOf(id);
    const time = await timed(() => stage.say(id, turn));
    await answered;
    return time;
  };
  for (let count = 0; count < 300; count += 1) await wake();
  return {
    sample: async () => {
      const [times, floors]: [number[], number[]] = [[], []];
      for (let count = 0; count < samples; count += 1) {
        times.push(await wake());
        floors.push(await timed(() => file.write([write])));
      }
      return {
        median: quantile(times, 0.5),
        p99: quantile(times, 0.99),
        floor99: quantile(floors, 0.99),
      };
    },
    close: () => stage.stop(),
  };
};

const idle = 100_000;

let idleFolder: Promise<string> | undefined;
const withIdle = () => (idleFolder ??= populated({ name: 'idle', kind: 'sqlite', count: idle }));

export const idleInstances: readonly Benchmark[] = [
  ...readingsOf(
    async () => {
      const kind = 'sqlite';
      const folder = await withIdle();
      const empty = storeFolder('empty');
      const opening = join(import.meta.dirname, 'opening.ts');
      return async () => {
        const full = await sampleOnce(opening, { kind, folder });
        const none = await sampleOnce(opening, { kind, folder: empty });
        return { megabytes: full['megabytes']! - none['megabytes']! };
      };
    },
    { megabytes: [`memory of ${idle} idle instances on sqlite`, 'MB', 120] },
    { rounds: 3 },
  ),
  ...readingsOf(
    async () => {
      const settings = { kind: 'sqlite', folder: await withIdle(), count: idle };
      return () => sampleOnce(import.meta.filename, settings);
    },
    {
      p99: [`a message to one of ${idle} idle instances, 99th percentile`, 'ms', 5],
      floor99: ['appending and flushing 4 KB, 99th percentile', 'ms'],
      median: [`a message to one of ${idle} idle instances`, 'ms'],
    },
    { rounds: 3 },
  ),
];

import { cpSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Benchmark, type Prepare, readingsOf } from '../measure.ts';
import { sampleOnce } from '../own-process/own-process.ts';
import { populated } from './population.ts';
import { Stage } from './stage.ts';
import { storeAt, storeKinds, type StoreSettings, timed } from './stores.ts';

/** Measures opening a host on an existing store in a fresh process, and the memory of the process afterwards. */
export const prepare: Prepare<StoreSettings> = async (settings) => {
  let stage: Stage | undefined;
  return {
    sample: async () => {
      const opening = await timed(async () => {
        // Resolves when the host accepts commands. Overdue timers fire in the background.
        stage = await Stage.open(storeAt(settings, 'always'));
      });
      const resuming = await timed(() => stage!.host.settle({ within: 600_000 }));
      await pause(500);
      gc!();
      gc!();
      return {
        seconds: opening / 1_000,
        resumed: (opening + resuming) / 1_000,
        megabytes: process.memoryUsage().rss / 2 ** 20,
      };
    },
    close: async () => stage?.stop(),
  };
};

const waiting = 10_000;

/** Opens a host on an existing store, until it accepts commands. */
export const recovery: readonly Benchmark[] = storeKinds.flatMap((kind) => [
  ...readingsOf(
    async () => {
      const folder = await populated({ name: 'waiting', kind, count: waiting });
      return () => sampleOnce(import.meta.filename, { kind, folder });
    },
    { seconds: [`opening ${kind} with ${waiting} waiting instances`, 's', 3] },
    { rounds: 5 },
  ),
  ...readingsOf(
    async () => {
      const folder = await populated({ name: 'overdue', kind, count: waiting, isOverdue: true });
      return async () => {
        // Opening a store fires its timers, so each sample has a copy.
        const copy = `${folder}-copy`;
        cpSync(folder, copy, { recursive: true });
        const readings = await sampleOnce(import.meta.filename, { kind, folder: copy });
        rmSync(copy, { recursive: true });
        return readings;
      };
    },
    {
      seconds: [`opening ${kind} with ${waiting} overdue timers`, 's', 3],
      resumed: [`opening ${kind} with ${waiting} overdue timers, until all have fired`, 's'],
    },
    { rounds: 3 },
  ),
]);

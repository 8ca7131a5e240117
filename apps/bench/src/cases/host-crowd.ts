import { cpSync, rmSync } from 'node:fs';
import { inHost, populated } from '../host/population.ts';
import { storeFolder, storeKinds } from '../host/stores.ts';
import { type Benchmark, readingsOf } from '../measure.ts';
import { sampleOnce } from '../own-process/own-process.ts';

const waiting = 10_000;

/** Opens a host on an existing store, until it accepts commands. */
export const recovery: readonly Benchmark[] = storeKinds.flatMap((kind) => [
  ...readingsOf(
    async () => {
      const folder = await populated({ name: 'waiting', kind, count: waiting });
      return () => sampleOnce(inHost('opening.ts'), { kind, folder });
    },
    {
      seconds: {
        name: `opening ${kind} with ${waiting} waiting instances`,
        unit: 's',
        atMost: 3,
        rounds: 5,
      },
    },
  ),
  ...readingsOf(
    async () => {
      const folder = await populated({ name: 'overdue', kind, count: waiting, isOverdue: true });
      return async () => {
        // Opening a store fires its timers, so each sample has a copy.
        const copy = `${folder}-copy`;
        cpSync(folder, copy, { recursive: true });
        const readings = await sampleOnce(inHost('opening.ts'), { kind, folder: copy });
        rmSync(copy, { recursive: true });
        return readings;
      };
    },
    {
      seconds: {
        name: `opening ${kind} with ${waiting} overdue timers`,
        unit: 's',
        atMost: 3,
        rounds: 3,
      },
      resumed: {
        name: `opening ${kind} with ${waiting} overdue timers, until all have fired`,
        unit: 's',
        rounds: 3,
      },
    },
  ),
]);

const idle = 100_000;

let idleFolder: Promise<string> | undefined;
const withIdle = () => (idleFolder ??= populated({ name: 'idle', kind: 'sqlite', count: idle }));

export const idleInstances: readonly Benchmark[] = [
  ...readingsOf(
    async () => {
      const kind = 'sqlite';
      const folder = await withIdle();
      const empty = storeFolder('empty');
      return async () => {
        const full = await sampleOnce(inHost('opening.ts'), { kind, folder });
        const none = await sampleOnce(inHost('opening.ts'), { kind, folder: empty });
        return { megabytes: full.megabytes! - none.megabytes! };
      };
    },
    {
      megabytes: {
        name: `memory of ${idle} idle instances on sqlite`,
        unit: 'MB',
        atMost: 120,
        rounds: 3,
      },
    },
  ),
  ...readingsOf(
    async () => {
      const settings = { kind: 'sqlite', folder: await withIdle(), count: idle };
      return () => sampleOnce(inHost('waking.ts'), settings);
    },
    {
      p99: {
        name: `a message to one of ${idle} idle instances, 99th percentile`,
        unit: 'ms',
        atMost: 5,
        rounds: 3,
      },
      floor99: { name: 'appending and flushing 4 KB, 99th percentile', unit: 'ms', rounds: 3 },
      median: { name: `a message to one of ${idle} idle instances`, unit: 'ms', rounds: 3 },
    },
  ),
];

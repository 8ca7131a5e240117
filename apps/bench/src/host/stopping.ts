import { type Prepare, readingsOf } from '../measure.ts';
import { sampleOnce } from '../own-process/own-process.ts';
import { idOf, populated } from './population.ts';
import { Stage } from './stage.ts';
import { type StoreKind, storeAt, type StoreSettings, timed } from './stores.ts';

const turns = 200;

/** Starts a host on an existing store in a fresh process, takes some turns, and stops it. Times are in seconds. */
export const prepare: Prepare<StoreSettings> = async (settings) => ({
  sample: async () => {
    let stage!: Stage;
    const start = await timed(async () => {
      stage = await Stage.open(storeAt(settings, 'always'));
    });
    // Later samples continue with other messages.
    const first = Date.now();
    for (let turn = 0; turn < turns; turn += 1) await stage.turn(idOf(turn + 1), first + turn);
    const stop = await timed(() => stage.stop());
    return { start: start / 1_000, stop: stop / 1_000 };
  },
});

/** @param many the number of stored instances */
export const stopping = (many: number, kind: StoreKind) =>
  readingsOf(
    async () => {
      const folder = await populated({ name: 'stopped', kind, count: many });
      return () => sampleOnce(import.meta.filename, { kind, folder });
    },
    {
      start: [`starting on ${kind} with ${many} instances`, 's'],
      stop: [`stopping on ${kind} with ${many} instances`, 's', 2],
    },
    { rounds: 3 },
  );

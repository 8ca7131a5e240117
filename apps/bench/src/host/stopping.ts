import type { Prepare } from '../own-process/protocol.ts';
import { idOf } from './population.ts';
import { Stage } from './stage.ts';
import { storeAt, type StoreSettings, timed } from './stores.ts';

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

import { setTimeout as pause } from 'node:timers/promises';
import type { Prepare } from '../own-process/protocol.ts';
import { Stage } from './stage.ts';
import { storeAt, type StoreSettings, timed } from './stores.ts';

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

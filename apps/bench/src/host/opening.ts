import { setTimeout as pause } from 'node:timers/promises';
import type { Prepare } from '../own-process/protocol.ts';
import { Stage } from './stage.ts';
import { storeAt, type StoreSettings } from './stores.ts';
import { timed } from './times.ts';

/** Opening a host on a store that is there, in a process that has done nothing else, and what it then weighs. */
export const prepare: Prepare<StoreSettings> = async (settings) => {
  let stage: Stage | undefined;
  return {
    sample: async () => {
      const opening = await timed(async () => {
        // It fulfils when commands are taken, after all timers that were overdue have fired.
        stage = await Stage.open(storeAt(settings, 'always'));
      });
      await pause(500);
      gc!();
      gc!();
      return { seconds: opening / 1_000, megabytes: process.memoryUsage().rss / 2 ** 20 };
    },
    close: async () => stage?.stop(),
  };
};

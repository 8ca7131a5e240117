import type { Prepare } from '../own-process/protocol.ts';
import { largeMapOfTask } from '../workflows/map.ts';
import { runDurably } from './durable-map.ts';
import type { StoreSettings } from './stores.ts';

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

import type { Prepare } from '../measure.ts';
import { openContender, type ProcessSettings } from './opened.ts';

interface SampleSettings {
  readonly inFlight: number;
  /** The time during which messages are sent, in milliseconds. */
  readonly forMs: number;
}

/** Runs one contender in its own process. `cpu` is the processor time of a turn, in milliseconds. */
export const prepare: Prepare<ProcessSettings> = async (settings, onProgress) => {
  const { load, close } = await openContender(settings, onProgress);
  return {
    sample: async (what) => {
      const { inFlight, forMs } = what as unknown as SampleSettings;
      const before = process.cpuUsage();
      const result = await load.run(inFlight, forMs);
      const { user, system } = process.cpuUsage(before);
      return { ...result, cpu: (user + system) / 1000 / result.count };
    },
    close,
  };
};

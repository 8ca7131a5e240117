import type { Prepare } from '../own-process/protocol.ts';
import { openContender, type ProcessSettings } from './opened.ts';

/** Runs one contender in a process of its own. */
export const prepare: Prepare<ProcessSettings> = async (settings, onProgress) => {
  const { load, close } = await openContender(settings, onProgress);
  return {
    sample: async (inFlight) => ({ ...(await load.run(inFlight as number, settings.sampleMs)) }),
    close,
  };
};

import { join } from 'node:path';
import { storeFolder } from '../../host/stores.ts';
import { deployedOptions, OwnProcess } from '../../own-process/own-process.ts';
import type { ContenderName } from '../../side-by-side/contenders.ts';
import type { ProcessSettings } from '../../side-by-side/opened.ts';
import type { Addresses } from '../../side-by-side/servers.ts';
import type { Check } from '../costs.ts';

/** The numbers of turns in flight from which costs are found. */
export const fittedLevels = [1, 8, 128];

/** The numbers with which the simulation is checked. */
export const checkedLevels = [1, 32, 256];

/** A sample of the load: see `contender-process.ts`. */
export interface Sampled {
  readonly turns: number;
  readonly p50: number;
  readonly count: number;
  /** Processor time of a turn in the process, in milliseconds. */
  readonly cpu: number;
}

const module = join(import.meta.dirname, '../../side-by-side/contender-process.ts');

/** Opens one of the contenders of the benchmark side by side, in its own process. */
export async function openForCalibration(
  name: ContenderName,
  addresses: ReturnType<Addresses>,
  conversations: number,
): Promise<(inFlight: number, forMs: number) => Promise<Sampled>> {
  const settings: ProcessSettings = {
    ...addresses,
    name,
    folder: storeFolder(`calibration-${name.replaceAll(/\W+/g, '-')}`),
    conversations,
  };
  const opened = await OwnProcess.prepared(module, settings, deployedOptions);
  return async (inFlight, forMs) => {
    const { turns, p50, count, cpu } = await opened.sample({ inFlight, forMs });
    return { turns: turns!, p50: p50!, count: count!, cpu: cpu! };
  };
}

/** @param samples one for each of `checkedLevels` */
export function checksOf(samples: readonly Sampled[]): Check[] {
  return samples.map(({ turns, p50 }, index) => ({ inFlight: checkedLevels[index]!, turns, p50 }));
}

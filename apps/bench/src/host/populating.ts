import type { Prepare } from '../own-process/protocol.ts';
import { populate, type WaitsFor } from './population.ts';
import type { StoreSettings } from './stores.ts';

export interface PopulatingSettings extends StoreSettings {
  readonly count: number;
  readonly isOverdue: boolean;
  readonly waitsFor: WaitsFor;
}

/** Fills a store in a separate process. */
export const prepare: Prepare<PopulatingSettings> = async (settings, onProgress) => {
  await populate(settings, settings, onProgress);
  return { sample: async () => ({}) };
};

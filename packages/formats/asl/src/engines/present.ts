import * as all from './engines.ts';

/** What `#engines` is outside of browsers: the engines are always there. */
export type Engines = typeof all;

export function engines(): Engines {
  return all;
}

export async function loadEngines(): Promise<void> {}

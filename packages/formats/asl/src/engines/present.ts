import * as all from './engines.ts';

/** The `#engines` outside of browsers: they are always loaded. */
export function engines(): typeof all {
  return all;
}

export async function loadEngines(): Promise<void> {}

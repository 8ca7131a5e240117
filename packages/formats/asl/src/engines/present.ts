import * as all from './engines.ts';

/** What `#engines` is outside of browsers: the engines are always there. */
export function engines(): typeof all {
  return all;
}

export async function loadEngines(): Promise<void> {}

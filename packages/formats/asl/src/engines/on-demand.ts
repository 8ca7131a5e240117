import type * as all from './engines.ts';
import { EnginesNotLoadedError } from './engines-not-loaded-error.ts';

/** What `#engines` is in a browser. Set once, to the same module each time: only whether it is there changes. */
let loaded: typeof all | undefined;

/** @throws EnginesNotLoadedError */
export function engines(): typeof all {
  if (!loaded) throw new EnginesNotLoadedError();
  return loaded;
}

export async function loadEngines(): Promise<void> {
  loaded ??= await import('./engines.ts');
}

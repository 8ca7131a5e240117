import type * as all from './engines.ts';
import { EnginesNotLoadedError } from './engines-not-loaded-error.ts';

/** The engines in a browser: undefined until they are loaded, then always the same module. */
let loaded: typeof all | undefined;

/** @throws EnginesNotLoadedError */
export function engines(): typeof all {
  if (!loaded) throw new EnginesNotLoadedError();
  return loaded;
}

export async function loadEngines(): Promise<void> {
  loaded ??= await import('./engines.ts');
}

import { requireFrom } from '@dramaturg/compiler/format';
import type * as all from './engines.ts';

const require = requireFrom(import.meta);

/** The `#engines` in Node: loaded when used, because most workflows need none of them. */
export function engines(): typeof all {
  return require('./engines.js') as typeof all;
}

export async function loadEngines(): Promise<void> {}

import type { ApartAnswer, ApartRequest } from '../data/jsonata/apart.ts';
import { compileSource } from '../data/jsonata/compile-source.ts';
import { seededWorld } from '../data/jsonata/seeded-world.ts';
import { Work } from '../data/work.ts';

/** The address of this module, for a thread. */
export const evaluationModule = (import.meta as unknown as { readonly url: string }).url;

/** Evaluates an expression. A thread calls it. @public */
export function answer({
  source,
  what,
  now,
  seed = '',
  units,
  ...scope
}: ApartRequest): ApartAnswer {
  const work = new Work(units);
  const world = seededWorld(seed, () => now);
  try {
    const value = compileSource(source, what, false)({ ...scope, world, work });
    return { value, units: units - work.unitsLeft };
  } catch (error) {
    return { error: (error as Error).message, units: units - work.unitsLeft };
  }
}

import { realWorld } from '@dramaturg/compiler/machine';
import {
  type BirthOrder,
  birthOf,
  type DefinitionsToStart,
  type Library,
} from '@dramaturg/host/engine';
import type { LineStart } from './messages.ts';

/** Stores the definitions that an instance needs, and gives what its start takes. */
export async function lineStartOf(
  library: Library,
  { definition, needs }: DefinitionsToStart,
  order: BirthOrder,
): Promise<LineStart> {
  const birth = birthOf(order, definition);
  for (const each of [definition, ...needs]) await library.keep(each);
  return { at: realWorld.now(), definition: definition.ref, birth };
}

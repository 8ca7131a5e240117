import type { Behaviour } from '@dramaturg/compiler/machine';

/** The implementations of the names in charts, by format: a map, or an object that loads a format when one of its charts is linked. */
export interface Behaviours {
  get(format: string): Behaviour | undefined;
}

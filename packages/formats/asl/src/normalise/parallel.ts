import type { Machine, Parallel, StateBase } from '../definition/index.ts';
import { type Placed, type Reading, records } from './fields.ts';
import { readRecovery } from './retry.ts';
import { readInput, readLeads, readResult } from './state.ts';

/** @param nested reads the machine of an item or a branch */
export function readParallel(
  base: StateBase,
  placed: Placed,
  nested: (machine: Placed) => Machine,
  reading: Reading,
): Parallel {
  return {
    ...base,
    ...readInput(placed),
    ...readResult(placed),
    ...readRecovery(placed, reading),
    ...readLeads(placed),
    Type: 'Parallel',
    Branches: records(placed, 'Branches', reading).map(nested),
  };
}

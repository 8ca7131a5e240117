import type { Parallel, StateBase } from '../definition/index.ts';
import { type Placed, type Reading, records } from './fields.ts';
import { readRecovery } from './retry.ts';
import { readInput, readLeads, readResult } from './state.ts';

export function readParallel(base: StateBase, placed: Placed, reading: Reading): Parallel {
  return {
    ...base,
    ...readInput(placed),
    ...readResult(placed),
    ...readRecovery(placed, reading),
    ...readLeads(placed),
    Type: 'Parallel',
    Branches: records(placed, 'Branches', reading).map((branch) =>
      reading.readMachine(branch, reading),
    ),
  };
}

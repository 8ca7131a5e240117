import type { Parallel, StateBase } from '../definition/index.ts';
import type { Part } from '../authored.ts';
import { readObjects } from './fields.ts';
import type { Reading } from './reading.ts';
import { readRecovery } from './retry.ts';
import { readInput, readLeads, readResult } from './state.ts';

export function readParallel(base: StateBase, authored: Part, reading: Reading): Parallel {
  return {
    ...base,
    ...readInput(authored),
    ...readResult(authored),
    ...readRecovery(authored, reading),
    ...readLeads(authored),
    Type: 'Parallel',
    Branches: readObjects(authored, 'Branches', reading).map((branch) =>
      reading.readMachine(branch, reading),
    ),
  };
}

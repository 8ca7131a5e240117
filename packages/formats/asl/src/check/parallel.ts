import type { Parallel } from '../definition/index.ts';
import { emptyList } from '../diagnostics/structure.ts';
import type { StateRule } from './rule.ts';

/** There are branches to run. Spec: Agent 2 §Parallel State, states-language.net/spec.html#parallel-state */
const hasBranches: StateRule<Parallel> = ({ authored, at }, { report }) => {
  const { Branches: branches } = authored;
  if (Array.isArray(branches) && branches.length === 0) {
    report(emptyList('Branches'), [...at, 'Branches']);
  }
};

export const parallelRules: readonly StateRule<Parallel>[] = [hasBranches];

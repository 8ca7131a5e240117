import type { Parallel } from '../definition/index.ts';
import { emptyList } from '../diagnostics/structure.ts';
import type { StateRule } from './rule.ts';

/** Reports an empty list of branches. Spec: Agent 2 §Parallel State, states-language.net/spec.html#parallel-state */
const emptyBranches: StateRule<Parallel> = ({ authored, at }, { report }) => {
  const { Branches: branches } = authored;
  if (Array.isArray(branches) && branches.length === 0) {
    report(emptyList('Branches'), [...at, 'Branches']);
  }
};

export const parallelRules: readonly StateRule<Parallel>[] = [emptyBranches];

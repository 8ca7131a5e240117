import type { ProblemKind } from '@dramaturg/compiler/format';
import * as assumptions from './assumptions.ts';
import * as policies from './policies.ts';
import * as rows from './rows.ts';
import * as states from './states.ts';

/** Every kind of problem of a lifecycle, with its wording. Each has a page in docs/diagnostics/lifecycle. */
export const lifecycleProblems: readonly ProblemKind[] = [
  assumptions,
  states,
  rows,
  policies,
].flatMap((kinds) => Object.values(kinds));

import type { ProblemKind } from '@dramaturg/compiler/format';
import * as agents from './agents.ts';
import * as states from './states.ts';
import * as tasks from './tasks.ts';
import * as transitions from './transitions.ts';

/** Every kind of problem of a plan, with its wording. Each has a page in docs/diagnostics/plan. */
export const planProblems: readonly ProblemKind[] = [agents, states, tasks, transitions].flatMap(
  (kinds) => Object.values(kinds),
);

import type { ProblemKind } from '@dramaturg/compiler/format';
import * as advice from './advice.ts';
import * as fields from './fields.ts';
import * as graph from './graph.ts';
import * as reachability from './reachability.ts';
import * as references from './references.ts';
import * as starts from './starts.ts';
import * as states from './states.ts';
import * as targets from './targets.ts';

/** Every kind of problem of a context graph, with its wording. Each has a page in docs/diagnostics/context-graph. */
export const contextGraphProblems: readonly ProblemKind[] = [
  graph,
  starts,
  states,
  fields,
  targets,
  references,
  reachability,
  advice,
].flatMap((kinds) => Object.values(kinds));

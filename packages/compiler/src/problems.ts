import { chartProblems } from './chart/graph.ts';
import type { ProblemKind } from './diagnostic.ts';
import { formatProblems } from './format-problems.ts';
import { readProblems } from './read/problems.ts';
import { shapeProblems } from './shape.ts';

/** Every kind of problem that the compiler itself can report, for any format. */
export const compilerProblems: readonly ProblemKind[] = [
  ...readProblems,
  ...formatProblems,
  ...shapeProblems,
  ...chartProblems,
];

import type { Path, Problem, Rule } from '@dramaturg/compiler';
import type { ContextGraphOptions, Graph } from '../definition.ts';

/** A rule of meaning for context graphs. */
export type GraphRule = Rule<Graph, ContextGraphOptions>;

/** Rules are about a whole graph. A state without a graph has one finding, and no rule is applied. */
export function ofGraphs(rules: readonly GraphRule[]): GraphRule[] {
  return rules.map((rule) => (subject) => {
    if (!subject.definition.isBare) rule(subject);
  });
}

/** A place that names a state, and no state has the name. */
export interface UnknownName {
  readonly name: string;
  readonly problem: Problem;
  readonly path: Path;
}

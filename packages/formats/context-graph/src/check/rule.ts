import type { Path } from '@dramaturg/compiler';
import type { Problem, Rule } from '@dramaturg/compiler/format';
import type { Graph } from '../definition.ts';
import type { ContextGraphOptions } from '../options.ts';

/** A rule of meaning for context graphs. */
export type GraphRule = Rule<Graph, ContextGraphOptions>;

/** Makes rules skip a state without a graph, which has a finding of its own. */
export function ofGraphs(rules: readonly GraphRule[]): GraphRule[] {
  return rules.map((rule) => (subject) => {
    if (!subject.definition.isBare) rule(subject);
  });
}

/** A name of a state that does not exist, and where it is written. */
export interface UnknownName {
  readonly name: string;
  readonly problem: Problem;
  readonly path: Path;
}

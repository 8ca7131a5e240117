import { internalCycle, unconditionalCycle } from '../diagnostics/reachability.ts';
import { targetsOf } from '../definition.ts';
import { hiddenCycles } from '../state-graph.ts';
import { exitFields } from '../wiring.ts';
import type { GraphRule } from './rule.ts';

/** Reports cycles of states that never speak: an error without a decision, a warning with one. */
export const silentCycles: GraphRule = ({ definition, report }) => {
  for (const cycle of hiddenCycles(definition)) {
    const decides = cycle.some((state) => targetsOf(state).length > 1);
    const reported = decides ? cycle.filter(({ type }) => type === 'decision') : cycle;
    const [first, ...others] = reported;
    if (!first) continue;
    const problem = decides
      ? internalCycle(first.name)
      : unconditionalCycle(cycle.map(({ name }) => name));
    report(problem, first.at, {
      follows: cycle.flatMap(({ at }) => ['type', ...exitFields].map((field) => [...at, field])),
      related: others.map(({ name, at }) => ({
        path: at,
        message: `"${name}" is part of the same cycle.`,
      })),
    });
  }
};

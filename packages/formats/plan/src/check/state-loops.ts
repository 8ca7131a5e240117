import { loopsOf } from '@dramaturg/compiler/chart';
import { restart } from '../definition.ts';
import { loop } from '../diagnostics/states.ts';
import { planGraph } from '../plan-graph.ts';
import type { PlanRule } from './rule.ts';
import { loopsWithoutEnd } from './missing-ends.ts';

/** Reports groups of states that lead back to each other: their tasks start again on each return. */
export const stateLoops: PlanRule = ({ definition, options, report }) => {
  // Nothing is known after a restart, so it is not a return.
  const { byId, targets } = planGraph(
    definition,
    ({ target_state_id }) => target_state_id !== restart,
  );
  const ids = definition.states.map(({ id }) => id);
  // `missingEnds` reports a loop that never ends.
  const endless = options.idleTurnLimit === undefined ? loopsWithoutEnd(definition).flat() : [];
  for (const group of loopsOf(ids, targets)) {
    if (group.length === 1) continue; // A transition to its own state has its own finding.
    if (group.some((id) => endless.includes(id))) continue;
    report(loop(group), byId.get(group[0]!)!.at);
  }
};

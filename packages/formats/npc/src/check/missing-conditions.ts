import { missingCondition } from '../diagnostics/transitions.ts';
import { decisions } from '../definition.ts';
import { scenarioGraph } from '../scenario-graph.ts';
import type { NpcRule } from './rule.ts';

/** Reports transitions without a condition where a state has several for one decision: an evaluator chooses among them. */
export const missingConditions: NpcRule = ({ definition, report }) => {
  for (const scenario of definition.scenarios) {
    const { rows, byKey } = scenarioGraph(scenario);
    for (const { state_key } of byKey.values()) {
      for (const decision of decisions) {
        const several = rows(state_key, decision);
        if (several.length < 2) continue;
        for (const { condition, at } of several)
          if (condition.trim() === '')
            report(missingCondition(decision, state_key), at, {
              about: [[...at, 'condition']],
              follows: several.map((row) => [...row.at, 'condition']),
              topic: JSON.stringify([scenario.at, state_key, decision]),
            });
      }
    }
  }
};

import { unknownState } from '../diagnostics/transitions.ts';
import { unknownFrom } from '../wiring.ts';
import { scenarioGraph } from '../scenario-graph.ts';
import type { NpcRule } from './rule.ts';

/** Reports transitions from or to an unknown state. Spec: docs/formats/npc.md#transitions */
export const unknownStates: NpcRule = ({ definition, report }) => {
  for (const scenario of definition.scenarios) {
    const { byKey } = scenarioGraph(scenario);
    for (const transition of scenario.transitions) {
      for (const field of ['from_state_key', 'to_state_key'] as const) {
        const key = transition[field];
        if (!byKey.has(key))
          report(unknownState(key, [...byKey.keys()]), [...transition.at, field], {
            ...unknownFrom(scenario, key),
            topic: JSON.stringify([scenario.at, key]),
          });
      }
    }
  }
};

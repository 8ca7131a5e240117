import { checkOtherTarget, otherTargets } from '@dramaturg/conversation';
import { fieldOfAnotherTarget, unknownState } from '../diagnostics/transitions.ts';
import { unknownFrom } from '../wiring.ts';
import { scenarioGraph } from '../scenario-graph.ts';
import type { NpcRule } from './rule.ts';

/** Reports transitions from or to an unknown state, and fields that are for another target. Spec: docs/formats/npc.md#transitions */
export const unknownStates: NpcRule = ({ definition, report }) => {
  for (const scenario of definition.scenarios) {
    const { byKey } = scenarioGraph(scenario);
    for (const transition of scenario.transitions) {
      const { to_state_key: to, at } = transition;
      checkOtherTarget({ fieldOfAnotherTarget }, transition, to, report);
      for (const field of ['from_state_key', 'to_state_key'] as const) {
        const key = transition[field];
        const others = field === 'to_state_key' ? Object.keys(otherTargets) : [];
        if (!byKey.has(key) && !others.includes(key))
          report(unknownState(key, [...byKey.keys(), ...others]), [...at, field], {
            ...unknownFrom(scenario, key),
            topic: JSON.stringify([scenario.at, key]),
          });
      }
    }
  }
};

import { noScenarios } from '../diagnostics/scenarios.ts';
import { noStates } from '../diagnostics/states.ts';
import type { NpcRule } from './rule.ts';

/** Reports a persona without scenarios, and scenarios without states. */
export const missingScenarios: NpcRule = ({ definition, report }) => {
  const { scenarios, scenariosAt } = definition;
  if (scenarios.length === 0)
    report(noScenarios(), scenariosAt, { follows: [['machines'], ['scenarios']] });
  for (const { states, at } of scenarios)
    if (states.length === 0)
      report(noStates(), [...at, 'states'], { follows: [[...at, 'states', '*']] });
};

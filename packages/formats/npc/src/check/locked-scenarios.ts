import { noOpenScenario } from '../diagnostics/scenarios.ts';
import { openScenarios } from '../links.ts';
import type { NpcRule } from './rule.ts';

/** Reports a persona without any scenario that is open from the start. Spec: docs/formats/npc.md#links */
export const lockedScenarios: NpcRule = ({ definition, report }) => {
  const { scenarios, scenariosAt } = definition;
  if (scenarios.length > 0 && openScenarios(definition).length === 0)
    report(noOpenScenario(), scenariosAt, {
      follows: [
        [...scenariosAt, '*', 'is_entry_machine'],
        ['machine_links', '*'],
      ],
    });
};

import { unknownScenario } from '../diagnostics/links.ts';
import { scenarioKeysOf } from '../wiring.ts';
import type { NpcRule } from './rule.ts';

/** Reports links from or to an unknown scenario. Spec: docs/formats/npc.md#links */
export const unknownScenarios: NpcRule = ({ definition, report }) => {
  const known = new Set(definition.scenarios.map(({ machine_key }) => machine_key));
  for (const link of definition.machine_links) {
    for (const field of ['source_machine_key', 'target_machine_key'] as const) {
      const key = link[field];
      if (!known.has(key))
        report(unknownScenario(key, [...known]), [...link.at, field], {
          follows: scenarioKeysOf(definition),
          topic: key,
        });
    }
  }
};

import type { Path } from '@dramaturg/compiler';
import { duplicateScenario } from '../diagnostics/scenarios.ts';
import type { NpcRule } from './rule.ts';

/** Reports scenarios with the same key. */
export const duplicateScenarios: NpcRule = ({ definition, report }) => {
  const first = new Map<string, Path>();
  for (const { machine_key, at } of definition.scenarios) {
    const path = [...at, 'machine_key'];
    const earlier = first.get(machine_key);
    if (earlier)
      report(duplicateScenario(machine_key), path, {
        related: [{ path: earlier, message: 'First declared here.' }],
      });
    else first.set(machine_key, path);
  }
};

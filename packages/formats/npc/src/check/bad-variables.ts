import type { Path } from '@dramaturg/compiler';
import { badVariableKey, duplicateVariable } from '../diagnostics/links.ts';
import type { NpcRule } from './rule.ts';

/** Reports variables with a key that prompts cannot use, or that is used twice in a scenario. Spec: docs/formats/npc.md#variables */
export const badVariables: NpcRule = ({ definition, report }) => {
  const check = (key: string, at: Path) => {
    if (!/^\w{1,40}$/.test(key) || key === '__proto__') report(badVariableKey(key), [...at, 'key']);
  };
  for (const { key, at } of definition.variables) check(key, at);
  for (const { output_variables } of definition.scenarios) {
    const seen = new Set<string>();
    for (const { key, at } of output_variables) {
      check(key, at);
      if (seen.has(key)) report(duplicateVariable(key), [...at, 'key']);
      seen.add(key);
    }
  }
};

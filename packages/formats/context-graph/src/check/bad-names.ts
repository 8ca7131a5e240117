import type { Path } from '@dramaturg/compiler';
import { isOtherTarget } from '@dramaturg/conversation';
import { badName, duplicateState } from '../diagnostics/states.ts';
import type { GraphRule } from './rule.ts';

/** Reports state names with other characters than letters, digits and underscores, reserved names, and names used twice. Spec: docs/formats/context-graph.md#names */
export const badNames: GraphRule = ({ definition, report }) => {
  const first = new Map<string, Path>();
  for (const { name, nameAt, at } of definition.states) {
    // A name written as a key is located as a key. A missing name has its own finding.
    const details = at === nameAt ? ({ at: 'key' } as const) : {};
    if (name === '' && at !== nameAt) continue;
    const earlier = first.get(name);
    if (earlier)
      report(duplicateState(name), nameAt, {
        ...details,
        related: [{ path: earlier, message: 'First declared here.' }],
      });
    else first.set(name, nameAt);
    if (!/^[A-Za-z0-9_]+$/.test(name) || isOtherTarget(name))
      report(badName(name), nameAt, details);
  }
};

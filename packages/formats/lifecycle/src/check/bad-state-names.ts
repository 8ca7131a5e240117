import type { Path } from '@dramaturg/compiler';
import { badStateName, duplicateState, noStates } from '../diagnostics/states.ts';
import { longestState } from '../limits.ts';
import type { LifecycleRule } from './rule.ts';

/** Reports lifecycles without states, and state names that are blank, too long, reserved or used twice. */
export const badStateNames: LifecycleRule = ({ definition, report }) => {
  const { states, statesAt } = definition;
  if (states.length === 0 && !definition.hasNameless)
    report(noStates(), statesAt, { about: [['states']] });
  const first = new Map<string, Path>();
  for (const { name, at } of states) {
    const isWord = name === '*' || name === '$previous';
    if (name.trim() === '' || name.length > longestState || isWord)
      report(badStateName(name), at, { at: 'key' });
    const earlier = first.get(name);
    if (earlier)
      report(duplicateState(name), at, {
        related: [{ path: earlier, message: 'First declared here.' }],
      });
    first.set(name, earlier ?? at);
  }
};

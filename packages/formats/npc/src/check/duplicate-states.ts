import type { Path } from '@dramaturg/compiler';
import { isOtherTarget } from '@dramaturg/conversation';
import { followUp } from '../definition.ts';
import { duplicateState, reservedKey } from '../diagnostics/states.ts';
import type { NpcRule } from './rule.ts';

/** Reports state keys that are used twice in a scenario, or reserved for a state of the engine. */
export const duplicateStates: NpcRule = ({ definition, report }) => {
  for (const { states } of definition.scenarios) {
    const first = new Map<string, Path>();
    for (const { state_key: key, at } of states) {
      const path = [...at, 'state_key'];
      const earlier = first.get(key);
      if (earlier && key.trim() !== '')
        report(duplicateState(key), path, {
          related: [{ path: earlier, message: 'First declared here.' }],
        });
      first.set(key, earlier ?? path);
      if (key === followUp || isOtherTarget(key))
        report(reservedKey('the key of a state', key), path);
    }
  }
};

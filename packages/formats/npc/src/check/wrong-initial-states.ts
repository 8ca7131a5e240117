import { noInitialState, severalInitialStates } from '../diagnostics/states.ts';
import { inStates } from '../wiring.ts';
import type { NpcRule } from './rule.ts';

/** Reports scenarios with no initial state or with several. Spec: docs/formats/npc.md#state */
export const wrongInitialStates: NpcRule = ({ definition, report }) => {
  for (const scenario of definition.scenarios) {
    const { states, machine_key, at } = scenario;
    const [first, ...others] = states.filter((state) => state.is_initial_state);
    if (!first && states.length > 0)
      report(noInitialState(machine_key), [...at, 'states'], {
        about: inStates(scenario, 'is_initial_state'),
        follows: inStates(scenario, 'is_initial_state'),
      });
    for (const other of others)
      report(severalInitialStates(first!.state_key), [...other.at, 'is_initial_state'], {
        related: [
          { path: [...first!.at, 'is_initial_state'], message: 'The first initial state.' },
        ],
      });
  }
};

import { badInitialState, noInitialState } from '../diagnostics/states.ts';
import { stateKinds } from '../wiring.ts';
import type { LifecycleRule } from './rule.ts';

/** Reports a missing initial state, and one that is terminal or leads back to the previous state. */
export const missingInitialStates: LifecycleRule = ({ definition, report }) => {
  const { initial, initialAt, states, statesAt } = definition;
  if (initial === undefined) {
    const follows = [['initial'], ...stateKinds];
    if (states.length > 0) report(noInitialState(), statesAt, { at: 'key', follows });
    return;
  }
  const state = states.find(({ name }) => name === initial);
  if (state?.kind === 'terminal') report(badInitialState(initial, 'terminal'), initialAt);
  else if (state?.returns) report(badInitialState(initial, 'returning'), initialAt);
};

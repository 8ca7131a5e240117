import type { Fail } from '../../definition/index.ts';
import { sourceValues } from './language-flow.ts';
import type { StateWays } from './ways.ts';

export const failWays: StateWays<Fail> = {
  enter({ state, sight, flow }) {
    const selected = flow.select();
    sourceValues(state.Error, selected, sight);
    sourceValues(state.Cause, selected, sight);
    return { exits: [] };
  },
};

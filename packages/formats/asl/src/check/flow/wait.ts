import type { Wait } from '../../definition/index.ts';
import { sourceValues } from './language-flow.ts';
import { onwards, type StateWays } from './ways.ts';

export const waitWays: StateWays<Wait> = {
  enter({ state, sight, flow }) {
    const selected = flow.select();
    sourceValues(state.Seconds, selected, sight);
    sourceValues(state.Timestamp, selected, sight);
    return { exits: onwards(state, flow.pass()) };
  },
};

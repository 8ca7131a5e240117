import type { Pass } from '../../definition/index.ts';
import { sourceAt } from './source.ts';
import { literal } from './value-set.ts';
import { onwards, type StateWays } from './ways.ts';

export const passWays: StateWays<Pass> = {
  enter({ state, sight, flow }) {
    if (state.QueryLanguage === 'JSONata') return { exits: onwards(state, flow.pass()) };
    const result =
      state.Result === undefined
        ? flow.prepare(flow.select())
        : literal(state.Result, [sourceAt(sight.state, 'Result')]);
    // A type that does not exist is read as a Pass.
    const isPass = state.authored['Type'] === 'Pass';
    return { exits: onwards(state, flow.finish(isPass ? result : 'any')) };
  },
};

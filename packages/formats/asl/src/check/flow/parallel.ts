import type { Parallel } from '../../definition/index.ts';
import { sourceAt } from './source.ts';
import { listOf } from './value-set.ts';
import { recoveries, onwards, type StateWays } from './ways.ts';

/** Every branch begins with the same data and variables; the result lists their outputs. */
export const parallelWays: StateWays<Parallel> = {
  enter(visit) {
    const { state, sight, flow } = visit;
    const passed = { data: flow.prepare(flow.select()), variables: sight.variables };
    return {
      exits: recoveries(visit),
      machines: state.Branches.map((machine) => ({ machine, passed })),
    };
  },
  leave({ state, sight, flow }, outputs) {
    const all = outputs.filter((output) => output !== undefined);
    if (all.length < outputs.length) return { exits: [] };
    const result = listOf(all, [sourceAt(sight.state, 'Branches')]);
    return { exits: onwards(state, flow.finish(result)) };
  },
};

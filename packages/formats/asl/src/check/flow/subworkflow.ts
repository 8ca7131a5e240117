import type { Subworkflow } from '../../definition/index.ts';
import { sourceAt } from './source.ts';
import { type StateWays, worked } from './ways.ts';

export const subworkflowWays: StateWays<Subworkflow> = {
  enter(visit) {
    const { state, sight, flow } = visit;
    const selected = flow.select();
    if (state.Input !== undefined) {
      flow.template(state.Input, selected, sourceAt(sight.state, 'Input'));
    }
    return worked(visit, 'any');
  },
};

import { sourceValues } from '../../check/flow/language-flow.ts';
import { type StateWays, worked } from '../../check/flow/ways.ts';
import type { Task } from '../../definition/index.ts';

export const taskWays: StateWays<Task> = {
  enter(visit) {
    const { state, sight, flow } = visit;
    const selected = flow.select();
    flow.prepare(selected);
    sourceValues(state.TimeoutSeconds, selected, sight);
    sourceValues(state.HeartbeatSeconds, selected, sight);
    return worked(visit, 'any');
  },
};

import type { Checkpoint } from '../definition/index.ts';
import { recordOfSavePoint } from '../flow/checkpoint.ts';
import { endWith, type StateTester } from './tester.ts';

export const testCheckpoint: StateTester = ({ flow, state }, run) => {
  flow.select(run);
  const checkpoint = recordOfSavePoint(state as Checkpoint, run.world.now());
  run.inspect?.('result', checkpoint);
  return endWith(flow.finish(run, { checkpoint }), state);
};

import type { Succeed } from '../../definition/index.ts';
import type { StateWays } from './ways.ts';

export const succeedWays: StateWays<Succeed> = {
  enter: ({ flow }) => ({ exits: [{ passed: flow.pass() }] }),
};

import { checkpointBehaviour } from '../behaviour/checkpoint.ts';
import { checkpointWays } from '../check/flow/checkpoint.ts';
import { checkpointDefinition, type Checkpoint } from '../definition/checkpoint.ts';
import { checkpointNode } from '../lower/checkpoint.ts';
import { readCheckpoint } from '../normalise/checkpoint.ts';
import { testCheckpoint } from '../test-state/checkpoint.ts';
import type { Kind } from './kind.ts';

export const checkpoint: Kind<Checkpoint> = {
  definition: checkpointDefinition,
  read: readCheckpoint,
  rules: [],
  ways: checkpointWays,
  node: checkpointNode,
  behaviour: checkpointBehaviour,
  test: testCheckpoint,
};

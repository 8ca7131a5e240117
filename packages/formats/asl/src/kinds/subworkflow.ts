import { subworkflowBehaviour } from '../behaviour/subworkflow.ts';
import { subworkflowWays } from '../check/flow/subworkflow.ts';
import { subworkflowDefinition, type Subworkflow } from '../definition/subworkflow.ts';
import { subworkflowNode } from '../lower/subworkflow.ts';
import { readSubworkflow } from '../normalise/subworkflow.ts';
import { testWork } from '../test-state/work.ts';
import type { Kind } from './kind.ts';

export const subworkflow: Kind<Subworkflow> = {
  definition: subworkflowDefinition,
  read: readSubworkflow,
  rules: [],
  ways: subworkflowWays,
  node: subworkflowNode,
  behaviour: subworkflowBehaviour,
  test: testWork,
};

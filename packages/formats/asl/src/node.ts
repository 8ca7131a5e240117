import { requireFrom } from '@dramaturg/compiler/format';
import type * as index from './index.ts';

/**
 * The module that Node imports. `dramaturg` requires `index.ts` when it is first used, which fails while Node is
 * importing the same module.
 */
export const { asl, loadWorkflowEngines, StateTestError, testState, toAmazon } = requireFrom(
  import.meta,
)('./index.js') as typeof index;

import { required } from './field.ts';
import * as z from 'zod/mini';
import type { Machine } from './machine.ts';
import { type HasRecovery, retryAndCatch } from './retry.ts';
import {
  agentBlocks,
  assign,
  common,
  filters,
  type HasInput,
  type HasResult,
  type HasNext,
  output,
  parameters,
  resultPath,
  resultSelector,
  type StateBase,
  transition,
  workArguments,
} from './state.ts';
import type { StateDefinition } from './state-definition.ts';

/** Spec: Agent 2 §Parallel State, Amazon #parallel-state */
const parallel = z.object({
  ...common,
  ...filters,
  ...parameters,
  ...workArguments,
  ...resultSelector,
  ...resultPath,
  ...output,
  ...assign,
  ...retryAndCatch,
  ...transition,
  ...agentBlocks,
});

export interface Parallel extends StateBase, HasInput, HasResult, HasRecovery, HasNext {
  readonly Type: 'Parallel';
  readonly Branches: readonly Machine[];
}

export const parallelDefinition: StateDefinition<Parallel> = {
  schema: parallel,
  machineFields: {
    /** Machines that run at once; the result lists their outputs in this order. Agent 2, Amazon #parallel-state */
    Branches: {
      owner: 'A branch',
      ownFields: {},
      schemaOf: (branch) =>
        required(
          z.array(branch),
          'Machines that run at once; the result lists their outputs in this order.',
        ),
    },
  },
  machinesOf: ({ Branches: branches }) => branches,
};

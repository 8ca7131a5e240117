import { z } from 'zod';
import type { Machine } from './machine.ts';
import { type Recovers, retryAndCatch } from './retry.ts';
import {
  agentBlocks,
  assign,
  common,
  filters,
  type HasInput,
  type HasResult,
  type Leads,
  output,
  parameters,
  resultPath,
  resultSelector,
  type StateBase,
  transition,
  workArguments,
} from './state.ts';

/** Without its branches, which machine.ts adds. Spec: Agent 2 §Parallel State, Amazon #parallel-state */
export const parallel = z.object({
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

export interface Parallel extends StateBase, HasInput, HasResult, Recovers, Leads {
  readonly Type: 'Parallel';
  readonly Branches: readonly Machine[];
}

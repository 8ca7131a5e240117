import type { Json } from '@dramaturg/compiler';
import * as z from 'zod/mini';
import { agentOnly, pathOnly } from './field.ts';
import { type Memory, memory } from './memory.ts';
import {
  agentBlocks,
  assign,
  common,
  filters,
  type HasNext,
  output,
  parameters,
  resultPath,
  type StateBase,
  transition,
} from './state.ts';
import type { StateDefinition } from './state-definition.ts';

/** Spec: Agent 2 §Pass State, Amazon #pass-state */
const pass = z.object({
  ...common,
  ...filters,
  ...parameters,
  ...resultPath,
  ...output,
  ...assign,
  ...transition,
  ...agentBlocks,
  /** Agent 2 §Pass State, Amazon #pass-state */
  Result: pathOnly(z.unknown(), 'The result as it is, and before `Parameters`.'),
  /** Tutorial 6 writes memory from a Pass; the seed page has the block on a Task only. */
  Memory: agentOnly(memory, 'What is stored in memory.'),
});

export interface Pass extends StateBase, HasNext {
  readonly Type: 'Pass';
  /** Undefined when left out; null is a result. */
  readonly Result: Json | undefined;
  readonly Parameters: Json | undefined;
  readonly ResultPath: string | null;
  readonly Memory: Memory | undefined;
}

export const passDefinition: StateDefinition<Pass> = {
  schema: pass,
};

import type { Json, JsonObject } from '@dramaturg/compiler';
import * as z from 'zod/mini';
import { required, optional, block, text } from './field.ts';
import type { Machine } from './machine.ts';
import { type HasRecovery, retryAndCatch } from './retry.ts';
import {
  agentBlocks,
  common,
  filters,
  type HasResult,
  type HasNext,
  parameters,
  resultPath,
  resultSelector,
  type StateBase,
  transition,
} from './state.ts';
import type { StateDefinition } from './state-definition.ts';

/** Spec: Agent 10 §Include */
const include = z.object({
  ...common,
  ...filters,
  ...parameters,
  ...resultSelector,
  ...resultPath,
  ...retryAndCatch,
  ...transition,
  ...agentBlocks,
  /** Agent 10 §Include */
  Template: required(text, 'A name in the `Imports` of the workflow.'),
  /** Agent 10 §Modules */
  EntryPoint: optional(text, 'Where to begin in it, and where to leave it.'),
  ExitPoint: optional(text, 'The state of the template at which it ends.'),
  /** Agent 10 §Overrides */
  Override: optional(block, 'What to change in it.'),
});

export interface Include extends StateBase, HasResult, HasRecovery, HasNext {
  readonly Type: 'Include';
  readonly Template: string;
  readonly Parameters: Json | undefined;
  readonly EntryPoint: string | undefined;
  readonly ExitPoint: string | undefined;
  readonly Override: JsonObject | undefined;
  /** The template with its parameters filled in; undefined where an agent runs it. */
  readonly Machine: Machine | undefined;
  /** The machine as it would have been written. */
  readonly Filled: JsonObject | undefined;
}

export const includeDefinition: StateDefinition<Include> = {
  schema: include,
  isAgentOnly: true,
};

import type { Json } from '@dramaturg/compiler';
import * as z from 'zod/mini';
import { required, optional, text } from './field.ts';
import { type HasRecovery, retryAndCatch } from './retry.ts';
import {
  agentBlocks,
  common,
  filters,
  type HasResult,
  type HasNext,
  resultPath,
  resultSelector,
  type StateBase,
  transition,
} from './state.ts';
import type { StateDefinition } from './state-definition.ts';

/** Spec: Agent 10 §Workflow states */
const subworkflow = z.object({
  ...common,
  ...filters,
  ...resultSelector,
  ...resultPath,
  ...retryAndCatch,
  ...transition,
  ...agentBlocks,
  /** Agent 10 §Workflow states */
  WorkflowId: required(text, 'Which workflow is run.'),
  /** Agent 10 §Workflow states */
  Input: optional(z.unknown(), 'Its input, a template.'),
  /** Agent 10 §Workflow states */
  Timeout: optional(text, 'How long it may take, such as `30m`.'),
});

export interface Subworkflow extends StateBase, HasResult, HasRecovery, HasNext {
  readonly Type: 'Workflow';
  readonly WorkflowId: string;
  readonly Input: Json | undefined;
  readonly Timeout: string | undefined;
}

export const subworkflowDefinition: StateDefinition<Subworkflow> = {
  schema: subworkflow,
  isAgentOnly: true,
  durations: ['Timeout'],
};

import type { Json, JsonObject } from '@dramaturg/compiler';
import { z } from 'zod';
import { block, flag, text } from './field.ts';
import { choiceRule, type ChoiceRule } from './choice.ts';
import {
  agentBlocks,
  common,
  filters,
  type Given,
  type Leads,
  resultPath,
  type StateBase,
  transition,
} from './state.ts';

/** Agent 6 §Escalation */
const escalation = z.object({
  After: text.optional(),
  Notify: z.array(text).optional(),
  Message: text.optional(),
  Repeat: z.union([text, block]).optional(),
  EscalateTo: text.optional(),
  Levels: z.array(block).optional(),
});

/** Agent 6 §Editable content */
const editable = z.object({
  Fields: z.array(text),
  ResultPath: text.optional(),
});

/** Spec: Agent 2 §Approval State, Agent 6 */
export const approval = z.object({
  ...common,
  ...filters,
  ...resultPath,
  ...transition,
  ...agentBlocks,
  /** What the person is asked; an object has a `Title` and a `Description`. Agent 2 §Approval State */
  Prompt: z.union([text, block]).optional(),
  /** What the person is asked, by a path or an intrinsic function. Agent 6 §Prompts */
  'Prompt.$': text.optional(),
  /** What can be decided; `approve` and `reject` when left out. Agent 2 §Approval State, Agent 6 */
  Options: z.array(text).optional(),
  /** How long to wait, such as `24h`. Agent 2 §Approval State */
  Timeout: text.optional(),
  /** Whom to tell when it takes long. Agent 2 §Approval State, Agent 6 §Escalation */
  Escalation: escalation.optional(),
  /** Where each decision leads. Agent 2 §Approval State */
  Choices: z.array(choiceRule).optional(),
  /** Where to go when no choice holds, or when nobody decides in time. Agent 2 §Approval State */
  Default: text.optional(),
  /** What the person may change. Agent 6 §Editable content */
  Editable: editable.optional(),
  /** Agent 6 §Policy */
  Policy: block.optional(),
  /** Agent 6 §Notifications */
  Notifications: block.optional(),
  /** Agent 6 §Batches: the list to decide on. */
  ItemsPath: text.optional(),
  BatchMode: z
    .object({
      AllowPartial: flag.optional(),
      MinApproved: z.number().optional(),
    })
    .optional(),
  /** Tutorial 8. */
  OnTimeout: z.enum(['AutoReject', 'AutoApprove', 'Escalate', 'Fail']).optional(),
});

export interface Editable {
  readonly Fields: readonly string[];
  readonly ResultPath: string;
}

export interface Approval extends StateBase, Leads {
  readonly Type: 'Approval';
  readonly Prompt: Given<string | JsonObject> | undefined;
  readonly Options: readonly string[];
  /** As authored, `24h`; undefined waits for ever. */
  readonly Timeout: string | undefined;
  /** Undefined adds the decision's own fields to the input. */
  readonly ResultPath: string | null | undefined;
  readonly Choices: readonly ChoiceRule[];
  readonly Default: string | undefined;
  readonly Editable: Editable | undefined;
  readonly Escalation: Json | undefined;
}

import type { JsonObject } from '@dramaturg/compiler';
import { z } from 'zod';
import { agentOnly, block, flag, pathOnly, seconds, text } from './field.ts';
import { type StateBudget, stateBudget } from './budget.ts';
import { type Cache, cache } from './cache.ts';
import { type Calling, generation, model, streaming } from './calling.ts';
import { type ContextWindow, contextWindow } from './context-window.ts';
import { type Guardrails, guardrails } from './guardrails.ts';
import { type Memory, memory } from './memory.ts';
import { type Reasoning, reasoning } from './reasoning.ts';
import { type Recovers, retryAndCatch } from './retry.ts';
import {
  agentBlocks,
  assign,
  common,
  filters,
  type Given,
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
import { type Tools, tools } from './tools.ts';

/** Spec: Agent 2 §Task State, Amazon #task-state */
export const task = z.object({
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
  /** Name of the registered agent that does the work. Agent 2 §Task State */
  Agent: agentOnly(text),
  /** What does the work, a URI; CloudFormation writes a reference. Amazon #task-state */
  Resource: z.union([text, block]).optional(),
  /** The role under which the work is done. Amazon #task-state */
  Credentials: block.optional(),
  /** How long the work may take. Agent 2 §Task State, Amazon #timeouts */
  TimeoutSeconds: seconds.optional(),
  /** Amazon #timeouts */
  TimeoutSecondsPath: pathOnly(text),
  /** How long it may be silent. Agent 2 §Task State, Amazon #timeouts */
  HeartbeatSeconds: seconds.optional(),
  /** Amazon #timeouts */
  HeartbeatSecondsPath: pathOnly(text),
  /** Agent 2 §Agent-Specific Fields, Agent 3 */
  Memory: agentOnly(memory),
  /** Agent 2 §Agent-Specific Fields, Agent 3 */
  Context: agentOnly(contextWindow),
  /** Agent 2 §Agent-Specific Fields, Agent 4 */
  Tools: agentOnly(tools),
  /** Agent 2 §Agent-Specific Fields, Agent 7 */
  Budget: agentOnly(stateBudget),
  /** Agent 2 §Agent-Specific Fields, Agent 5 */
  Guardrails: agentOnly(guardrails),
  /** Agent 2 §Agent-Specific Fields, Agent 5 */
  Reasoning: agentOnly(reasoning),
  /** Agent 5 §Audit */
  Audit: agentOnly(block),
  /** Agent 7 §Cache */
  Cache: agentOnly(cache),
  /** Agent 6 §Feedback */
  Feedback: agentOnly(block),
  /** Agent 9 §Streaming */
  Streaming: agentOnly(streaming),
  /** Agent 7 §Models */
  Model: agentOnly(model),
  Generation: agentOnly(generation),
  /** Agent 8 §Idempotency */
  Idempotent: agentOnly(flag),
  IdempotencyKey: agentOnly(text),
  'IdempotencyKey.$': agentOnly(text),
  CacheResult: agentOnly(flag),
  CacheTTL: agentOnly(text),
});

export interface Task extends StateBase, HasInput, HasResult, Recovers, Leads {
  readonly Type: 'Task';
  /** Name of the agent; undefined when a resource does the work. */
  readonly Agent: string | undefined;
  /** What does the work in Amazon's dialect; a CloudFormation reference is named by what it refers to. */
  readonly Resource: string | undefined;
  readonly Credentials: JsonObject | undefined;
  readonly TimeoutSeconds: Given<number> | undefined;
  readonly HeartbeatSeconds: Given<number> | undefined;
  readonly Budget: StateBudget | undefined;
  readonly Guardrails: Guardrails | undefined;
  readonly Tools: Tools | undefined;
  readonly Context: ContextWindow | undefined;
  readonly Reasoning: Reasoning | undefined;
  readonly Calling: Calling | undefined;
  readonly Memory: Memory | undefined;
  readonly Cache: Cache | undefined;
}

import type { Json } from '@dramaturg/compiler';
import * as z from 'zod/mini';
import { flag, number, positiveCount, text } from './field.ts';
import { type HasRecovery, retryAndCatch } from './retry.ts';
import {
  agentBlocks,
  common,
  filters,
  type ValueSource,
  type HasResult,
  type HasNext,
  parameters,
  resultPath,
  resultSelector,
  type StateBase,
  transition,
} from './state.ts';
import type { StateDefinition } from './state-definition.ts';

const style = z.enum(['turn_based', 'simultaneous', 'reactive', 'free_form']);
const visible = z.enum(['all', 'previous_only', 'own', 'own_only', 'none']);

/** Agent 2 §Debate State, tutorial 9 */
const communication = z.object({
  Style: z.optional(style).check(z.describe('Who speaks when.')),
  Order: z.optional(z.array(text)).check(z.describe('The speaking order: names of `Agents`.')),
  VisibleHistory: z.optional(visible).check(z.describe('What each speaker sees of the debate.')),
});

const share = number('a number from 0 to 1', { type: 'number', minimum: 0, maximum: 1 });

/** Agent 2 §Debate State, tutorial 9 */
const consensus = z.object({
  Required: z.optional(flag).check(z.describe('Whether the state fails without an agreement.')),
  Arbiter: z
    .optional(text)
    .check(z.describe('The agent that decides; the last of `Agents` when left out.')),
  Threshold: z
    .optional(share)
    .check(z.describe('The required agreement; the arbiter is then asked after every round.')),
  TieBreaker: z.optional(text).check(z.describe('The agent that decides when a vote is tied.')),
  MaxRoundsForConsensus: z
    .optional(positiveCount)
    .check(z.describe('The most rounds until all agree; `Rounds` when left out.')),
  Method: z.optional(z.enum(['voting'])).check(z.describe('The agents vote after every round.')),
  RequiredMajority: z
    .optional(share)
    .check(z.describe('The part of the votes that decides; more than half when left out.')),
  VotingAgents: z
    .optional(z.array(text))
    .check(z.describe('The voters; all speakers when left out.')),
});

/** Spec: Agent 2 §Debate State; Retry and Catch by analogy with Task */
const debate = z.object({
  ...common,
  ...filters,
  ...parameters,
  ...resultSelector,
  ...resultPath,
  ...retryAndCatch,
  ...transition,
  ...agentBlocks,
  /** Agent 2 §Debate State */
  Agents: z.array(text).check(z.describe('The participants, two or more.')),
  /** Agent 2 §Debate State */
  Topic: z.optional(text).check(z.describe('What is debated.')),
  /** Agent 2 §Debate State */
  TopicPath: z.optional(text).check(z.describe('Where the topic is.')),
  'Topic.$': z
    .optional(text)
    .check(z.describe('What is debated, by a path or an intrinsic function.')),
  /** Agent 2 §Debate State */
  Rounds: z.optional(positiveCount).check(z.describe('How many rounds; 3 when left out.')),
  /** Agent 2 §Debate State */
  Communication: z.optional(communication).check(z.describe('How the agents speak.')),
  /** Agent 2 §Debate State */
  Consensus: z.optional(consensus).check(z.describe('How the debate is decided.')),
});

export interface Debate extends StateBase, HasResult, HasRecovery, HasNext {
  readonly Type: 'Debate';
  readonly Agents: readonly string[];
  readonly Topic: ValueSource<string> | undefined;
  readonly Parameters: Json | undefined;
  readonly Rounds: number;
  /** `free_form` is `reactive`: an agent that has nothing to add passes. */
  readonly Style: 'turn_based' | 'simultaneous' | 'reactive';
  /** Names of agents; the order of `Agents` when left out. */
  readonly Order: readonly string[];
  readonly VisibleHistory: 'all' | 'previous_only' | 'own' | 'none';
  /** How agreement is determined; undefined when it is not required. */
  readonly Consensus: Consensus | undefined;
}

export type Consensus = Readonly<{
  /** The most rounds, at least `Rounds`. */
  mostRounds: number;
  /** The required part of the votes, or `agreement` of the arbiter, from 0 to 1. Undefined: more than half, or any decision. */
  threshold: number | undefined;
}> &
  (
    | { readonly arbiter: string }
    | { readonly voters: readonly string[]; readonly tieBreaker: string | undefined }
  );

export const debateDefinition: StateDefinition<Debate> = {
  schema: debate,
  isAgentOnly: true,
  blocks: {
    Communication: ['The communication of a debate', communication],
    Consensus: ['The consensus of a debate', consensus],
  },
};

import type { Json } from '@dramaturg/compiler';
import * as z from 'zod';
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
  Style: style.optional(),
  /** The speaking order: names of `Agents`. */
  Order: z.array(text).optional(),
  VisibleHistory: visible.optional(),
});

const share = number('a number from 0 to 1', (value) => value >= 0 && value <= 1);

/** Agent 2 §Debate State, tutorial 9 */
const consensus = z.object({
  Required: flag.optional(),
  /** The agent that decides; the last of `Agents` when left out. */
  Arbiter: text.optional(),
  /** The required agreement; the arbiter is then asked after every round. */
  Threshold: share.optional(),
  /** The agent that decides when a vote is tied. */
  TieBreaker: text.optional(),
  /** The most rounds until all agree; `Rounds` when left out. */
  MaxRoundsForConsensus: positiveCount.optional(),
  /** The agents vote after every round. */
  Method: z.enum(['voting']).optional(),
  /** The part of the votes that decides; more than half when left out. */
  RequiredMajority: share.optional(),
  /** The voters; all speakers when left out. */
  VotingAgents: z.array(text).optional(),
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
  /** The participants, two or more. Agent 2 §Debate State */
  Agents: z.array(text),
  /** Agent 2 §Debate State */
  Topic: text.optional(),
  /** Where the topic is. Agent 2 §Debate State */
  TopicPath: text.optional(),
  /** `TopicPath`, or an intrinsic function, in SPECIFICATION.md and README */
  'Topic.$': text.optional(),
  /** 3 when left out. Agent 2 §Debate State */
  Rounds: positiveCount.optional(),
  /** Agent 2 §Debate State */
  Communication: communication.optional(),
  /** Agent 2 §Debate State */
  Consensus: consensus.optional(),
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
  /** The part of the votes, or the arbiter's `agreement`, from 0 to 1; undefined is more than half, or any decision. */
  threshold: number | undefined;
}> &
  (
    | { readonly arbiter: string }
    | { readonly voters: readonly string[]; readonly tieBreaker: string | undefined }
  );

export const debateDefinition: StateDefinition<Debate> = {
  schema: debate,
  isAgentOnly: true,
};

import * as z from 'zod/mini';
import { type Part, partOf } from '../../authored.ts';
import { flag, number, optional, positiveCount, described, text } from '../../definition/field.ts';
import type { StateDefinition } from '../../definition/machine.ts';
import { agentWorkFields, type StateBase, stateObject } from '../../definition/state.ts';
import {
  isText,
  optionalJson,
  optionalNumber,
  optionalString,
  readTexts,
  readValueSource,
} from '../../normalise/fields.ts';
import { type Reading, readOutcome } from '../../normalise/state.ts';

const style = z.enum(['turn_based', 'simultaneous', 'reactive', 'free_form']);
const visible = z.enum(['all', 'previous_only', 'own', 'own_only', 'none']);

/** Agent 2 §Debate State, tutorial 9 */
const communication = z.object({
  Style: optional(style, 'Who speaks when.'),
  Order: optional(z.array(text), 'The speaking order: names of `Agents`.'),
  VisibleHistory: optional(visible, 'What each speaker sees of the debate.'),
});

const share = number('a number from 0 to 1', { type: 'number', minimum: 0, maximum: 1 });

/** Agent 2 §Debate State, tutorial 9 */
const consensus = z.object({
  Required: optional(flag, 'Whether the state fails without an agreement.'),
  Arbiter: optional(text, 'The agent that decides; the last of `Agents` when left out.'),
  Threshold: optional(
    share,
    'The required agreement; the arbiter is then asked after every round.',
  ),
  TieBreaker: optional(text, 'The agent that decides when a vote is tied.'),
  MaxRoundsForConsensus: optional(
    positiveCount,
    'The most rounds until all agree; `Rounds` when left out.',
  ),
  Method: optional(z.enum(['voting']), 'The agents vote after every round.'),
  RequiredMajority: optional(
    share,
    'The part of the votes that decides; more than half when left out.',
  ),
  VotingAgents: optional(z.array(text), 'The voters; all speakers when left out.'),
});

/** Spec: Agent 2 §Debate State; Retry and Catch by analogy with Task */
const debate = stateObject(agentWorkFields, {
  /** Agent 2 §Debate State */
  Agents: described(z.array(text), 'The participants, two or more.'),
  /** Agent 2 §Debate State */
  Topic: optional(text, 'What is debated.'),
  /** Agent 2 §Debate State */
  TopicPath: optional(text, 'Where the topic is.'),
  'Topic.$': optional(text, 'What is debated, by a path or an intrinsic function.'),
  /** Agent 2 §Debate State */
  Rounds: optional(positiveCount, 'How many rounds; 3 when left out.'),
  /** Agent 2 §Debate State */
  Communication: optional(communication, 'How the agents speak.'),
  /** Agent 2 §Debate State */
  Consensus: optional(consensus, 'How the debate is decided.'),
});

export type Debate = ReturnType<typeof readDebate>;

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

/** Its expressions are JSONPath. */
export function readDebate(base: StateBase, authored: Part, reading: Reading) {
  const { value: fields } = authored;
  const talk = partOf(authored, 'Communication');
  const { Style: written, VisibleHistory: seen } = talk?.value ?? {};
  const agents = readTexts(authored, 'Agents', reading);
  return {
    ...base,
    ...readOutcome(authored, reading),
    Type: 'Debate' as const,
    Agents: agents,
    Topic: readValueSource(authored, 'Topic', isText, 'JSONPath'),
    Parameters: optionalJson(fields['Parameters']),
    Rounds: optionalNumber(fields['Rounds']) ?? 3,
    /** `free_form` is `reactive`: an agent that has nothing to add passes. */
    Style: readStyle(written),
    /** Names of agents; the order of `Agents` when left out. */
    Order: talk ? readTexts(talk, 'Order', reading) : [],
    VisibleHistory: readVisible(seen),
    /** How agreement is determined; undefined when it is not required. */
    Consensus: readConsensus(authored, agents, reading),
  };
}

function readStyle(written: unknown): 'turn_based' | 'simultaneous' | 'reactive' {
  if (written === 'free_form' || written === 'reactive') return 'reactive';
  return written === 'simultaneous' ? written : 'turn_based';
}

function readConsensus(
  authored: Part,
  agents: readonly string[],
  reading: Reading,
): Consensus | undefined {
  const part = partOf(authored, 'Consensus');
  const isVote = part?.value['Method'] === 'voting';
  if (!part || (part.value['Required'] !== true && !isVote)) return undefined;
  const { value: fields } = part;
  const rounds = optionalNumber(authored.value['Rounds']) ?? 3;
  const limits = {
    mostRounds: Math.max(rounds, optionalNumber(fields['MaxRoundsForConsensus']) ?? 0),
    threshold:
      (isVote ? optionalNumber(fields['RequiredMajority']) : undefined) ??
      optionalNumber(fields['Threshold']),
  };
  if (!isVote)
    return { ...limits, arbiter: optionalString(fields['Arbiter']) ?? agents.at(-1) ?? '' };
  const voters = readTexts(part, 'VotingAgents', reading);
  return {
    ...limits,
    voters: voters.length > 0 ? voters : agents,
    tieBreaker: optionalString(fields['TieBreaker']) ?? optionalString(fields['Arbiter']),
  };
}

/** The tutorial writes `own_only` for the specification's `own`. */
function readVisible(written: unknown): 'all' | 'previous_only' | 'own' | 'none' {
  if (written === 'own' || written === 'own_only') return 'own';
  return written === 'none' || written === 'previous_only' ? written : 'all';
}

import type { Debate, StateBase } from '../definition/index.ts';
import {
  given,
  isText,
  jsonOf,
  numberOf,
  partOf,
  type Placed,
  type Reading,
  textOf,
  texts,
} from './fields.ts';
import { readRecovery } from './retry.ts';
import { readLeads, readResult } from './state.ts';

/** Its expressions are JSONPath. */
export function readDebate(base: StateBase, placed: Placed, reading: Reading): Debate {
  const { value: fields } = placed;
  const communication = partOf(placed, 'Communication');
  const { Style: style, VisibleHistory: visible } = communication?.value ?? {};
  const agents = texts(placed, 'Agents', reading);
  return {
    ...base,
    ...readResult(placed),
    ...readRecovery(placed, reading),
    ...readLeads(placed),
    Type: 'Debate',
    Agents: agents,
    Topic: given(placed, 'Topic', isText, 'JSONPath'),
    Parameters: jsonOf(fields['Parameters']),
    Rounds: numberOf(fields['Rounds']) ?? 3,
    Style:
      style === 'free_form' || style === 'reactive'
        ? 'reactive'
        : style === 'simultaneous'
          ? style
          : 'turn_based',
    Order: communication ? texts(communication, 'Order', reading) : [],
    VisibleHistory: readVisible(visible),
    Consensus: readConsensus(placed, agents, reading),
  };
}

function readConsensus(
  placed: Placed,
  agents: readonly string[],
  reading: Reading,
): Debate['Consensus'] {
  const part = partOf(placed, 'Consensus');
  const isVote = part?.value['Method'] === 'voting';
  if (!part || (part.value['Required'] !== true && !isVote)) return undefined;
  const { value: fields } = part;
  const rounds = numberOf(placed.value['Rounds']) ?? 3;
  const limits = {
    mostRounds: Math.max(rounds, numberOf(fields['MaxRoundsForConsensus']) ?? 0),
    threshold:
      (isVote ? numberOf(fields['RequiredMajority']) : undefined) ?? numberOf(fields['Threshold']),
  };
  if (!isVote) return { ...limits, arbiter: textOf(fields['Arbiter']) ?? agents.at(-1) ?? '' };
  const voters = texts(part, 'VotingAgents', reading);
  return {
    ...limits,
    voters: voters.length > 0 ? voters : agents,
    tieBreaker: textOf(fields['TieBreaker']) ?? textOf(fields['Arbiter']),
  };
}

/** The tutorial writes `own_only` for the specification's `own`. */
function readVisible(written: unknown): Debate['VisibleHistory'] {
  if (written === 'own' || written === 'own_only') return 'own';
  return written === 'none' || written === 'previous_only' ? written : 'all';
}

import { partOf, type Part } from '../../authored.ts';
import type { Debate, StateBase } from '../../definition/index.ts';
import {
  readValueSource,
  isText,
  optionalJson,
  optionalNumber,
  optionalString,
  readTexts,
} from '../../normalise/fields.ts';
import type { Reading } from '../../normalise/reading.ts';
import { readRecovery } from '../../normalise/retry.ts';
import { readLeads, readResult } from '../../normalise/state.ts';

/** Its expressions are JSONPath. */
export function readDebate(base: StateBase, authored: Part, reading: Reading): Debate {
  const { value: fields } = authored;
  const communication = partOf(authored, 'Communication');
  const { Style: style, VisibleHistory: visible } = communication?.value ?? {};
  const agents = readTexts(authored, 'Agents', reading);
  return {
    ...base,
    ...readResult(authored),
    ...readRecovery(authored, reading),
    ...readLeads(authored),
    Type: 'Debate',
    Agents: agents,
    Topic: readValueSource(authored, 'Topic', isText, 'JSONPath'),
    Parameters: optionalJson(fields['Parameters']),
    Rounds: optionalNumber(fields['Rounds']) ?? 3,
    Style:
      style === 'free_form' || style === 'reactive'
        ? 'reactive'
        : style === 'simultaneous'
          ? style
          : 'turn_based',
    Order: communication ? readTexts(communication, 'Order', reading) : [],
    VisibleHistory: readVisible(visible),
    Consensus: readConsensus(authored, agents, reading),
  };
}

function readConsensus(
  authored: Part,
  agents: readonly string[],
  reading: Reading,
): Debate['Consensus'] {
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
function readVisible(written: unknown): Debate['VisibleHistory'] {
  if (written === 'own' || written === 'own_only') return 'own';
  return written === 'none' || written === 'previous_only' ? written : 'all';
}

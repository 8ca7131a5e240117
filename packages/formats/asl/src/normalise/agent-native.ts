import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type {
  Approval,
  Checkpoint,
  Debate,
  Editable,
  Include,
  StateBase,
  Subworkflow,
} from '../definition/index.ts';
import { readChoiceRules } from './choice.ts';
import {
  given,
  isText,
  jsonOf,
  numberOf,
  objectOf,
  partOf,
  pathOf,
  type Placed,
  type Reading,
  textOf,
  texts,
} from './fields.ts';
import { readRecovery } from './retry.ts';
import { readLeads, readResult } from './common.ts';

/** The states that Agent State Language adds. Their expressions are JSONPath. */

export function readApproval(base: StateBase, placed: Placed, reading: Reading): Approval {
  const { value: fields } = placed;
  const options = texts(placed, 'Options', reading);
  return {
    ...base,
    ...readLeads(placed),
    Type: 'Approval',
    Prompt: given(placed, 'Prompt', isPrompt, 'JSONPath'),
    Options: options.length > 0 ? options : ['approve', 'reject'],
    Timeout: textOf(fields['Timeout']),
    ResultPath: pathOf(fields['ResultPath'], undefined),
    Choices: readChoiceRules(placed, reading),
    Default: textOf(fields['Default']),
    Editable: readEditable(placed, reading),
    Escalation: objectOf(fields['Escalation']),
  };
}

function isPrompt(value: Json): value is string | JsonObject {
  return typeof value === 'string' || isRecord(value);
}

function readEditable(placed: Placed, reading: Reading): Editable | undefined {
  const editable = partOf(placed, 'Editable');
  return (
    editable && {
      Fields: texts(editable, 'Fields', reading),
      ResultPath: textOf(editable.value['ResultPath']) ?? '$.editedContent',
    }
  );
}

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

export function readCheckpoint(base: StateBase, placed: Placed): Checkpoint {
  const { value: fields } = placed;
  const ttl = textOf(fields['TTL']);
  return {
    ...base,
    ...readLeads(placed),
    Type: 'Checkpoint',
    Name: textOf(fields['Name']) ?? '',
    Storage: textOf(fields['Storage']),
    TTL: ttl === 'never' ? undefined : ttl,
    ResultPath: pathOf(fields['ResultPath'], null),
  };
}

export function readInclude(base: StateBase, placed: Placed, reading: Reading): Include {
  const { value: fields } = placed;
  return {
    ...base,
    ...readResult(placed),
    ...readRecovery(placed, reading),
    ...readLeads(placed),
    Type: 'Include',
    Template: textOf(fields['Template']) ?? '',
    Parameters: jsonOf(fields['Parameters']),
    EntryPoint: textOf(fields['EntryPoint']),
    ExitPoint: textOf(fields['ExitPoint']),
    Override: objectOf(fields['Override']),
  };
}

export function readSubworkflow(base: StateBase, placed: Placed, reading: Reading): Subworkflow {
  const { value: fields } = placed;
  return {
    ...base,
    ...readResult(placed),
    ...readRecovery(placed, reading),
    ...readLeads(placed),
    Type: 'Workflow',
    WorkflowId: textOf(fields['WorkflowId']) ?? '',
    Input: jsonOf(fields['Input']),
    Timeout: textOf(fields['Timeout']),
  };
}

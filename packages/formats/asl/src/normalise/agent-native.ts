import type { Checkpoint, Debate, StateBase, Subworkflow } from '../definition/index.ts';
import {
  given,
  isText,
  jsonOf,
  numberOf,
  partOf,
  pathOf,
  type Placed,
  type Reading,
  record,
  textOf,
  texts,
} from './fields.ts';
import { readRecovery } from './retry.ts';
import { readLeads, readResult } from './common.ts';

/** The states that Agent State Language adds. Their expressions are JSONPath. */

export function readDebate(base: StateBase, placed: Placed, reading: Reading): Debate {
  const { value: fields } = placed;
  const communication = partOf(placed, 'Communication');
  const { Style: style, VisibleHistory: visible } = communication?.value ?? {};
  const consensus = record(fields['Consensus']);
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
      style === 'simultaneous' || style === 'reactive' || style === 'free_form'
        ? style
        : 'turn_based',
    Order: communication ? texts(communication, 'Order', reading) : [],
    VisibleHistory: readVisible(visible),
    ConsensusRequired: consensus['Required'] === true,
    Arbiter: textOf(consensus['Arbiter']) ?? agents.at(-1),
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

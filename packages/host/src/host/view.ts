import { isRecord, type Json } from '@dramaturg/compiler';
import {
  type AskedDecision,
  type OpenDecision,
  openDecisionsIn,
  withoutData,
} from '../instance/open-decisions.ts';
import type { QueueName } from '../instance/attention.ts';
import type { Owner } from '../instance/claim.ts';
import type { Note } from '../instance/note.ts';
import { type CopyOf, flowDefinitionOf } from '../instance/state.ts';
import { noUsage, type UsageTotal } from '../limits/index.ts';
import type { InstanceStanding } from './standing.ts';
import { contextIn, stateValueIn } from '../xstate/persisted-snapshot.ts';
import type { DefinitionVersion, RecordSummary, StoreRecord, Timer } from '../store/contract.ts';
import { stateOf } from '../instance/snapshot-parts.ts';

/** An instance in a list. Times are milliseconds since 1970 UTC. */
export interface InstanceSummary {
  readonly id: string;
  readonly definition: DefinitionVersion;
  /** The contact in canonical form. */
  readonly contact?: string;
  readonly state: string;
  readonly ended: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When the earliest timer is due. */
  readonly dueAt?: number;
  /** The instance that has called this one as an agent. */
  readonly parent?: string;
  /** How many decisions of people are open; absent when none is. */
  readonly decisionsOpen?: number;
  /** The queue of people's work that it is in; absent when no person has to act. */
  readonly queue?: QueueName;
  /** The time since which it waits for a person; present when `queue` is. */
  readonly waitingSince?: number;
}

/** An instance in detail, without its transcript and journal. */
export interface InstanceView extends RecordView, InstanceStanding {
  /** The person who has taken the instance over, until the claim expires. */
  readonly owner?: Owner;
}

/** The facts in the record of an instance that need no definitions. */
export interface RecordView extends InstanceSummary {
  /** The contact as it was given. */
  readonly address: string | null;
  readonly channel: string | null;
  readonly holdsContact: boolean;
  /** A turn runs, or messages of the contact wait for one. */
  readonly isAnswering: boolean;
  /** Notes of people, the latest 100; absent without any. */
  readonly notes?: readonly Note[];
  /** The children whose calls are open. */
  readonly children: readonly string[];
  /** The origin of a copy. */
  readonly copyOf?: CopyOf;
  /** The context of its lifecycle. */
  readonly lifecycle: Readonly<Record<string, Json>>;
  /** The states of the conversation or workflow; null before it has begun. */
  readonly flow: Json;
  /** Ids of messages that the channel has not accepted yet. */
  readonly undelivered: readonly string[];
  /** The keys of running calls. */
  readonly calls: readonly string[];
  /** Open decisions of people. */
  readonly decisions: readonly OpenDecision[];
  /** When its timers are due, milliseconds since 1970 UTC. */
  readonly timers: readonly Timer[];
  /** The consumption of its calls so far. */
  readonly used: UsageTotal;
  readonly transcriptLength: number;
  readonly journalLength: number;
}

export function summaryOf(record: RecordSummary): InstanceSummary {
  const { id, definition, contact, status, ended, createdAt, updatedAt, timers } = record;
  const { questions, parent, attention: { queue, since } = {} } = record;
  const times = timers.map(({ at }) => at);
  return {
    id,
    definition: definition!,
    ...(contact === undefined ? {} : { contact }),
    state: status,
    ended,
    // Fractions only order instances that were created within one millisecond.
    createdAt: Math.floor(createdAt),
    updatedAt: Math.floor(updatedAt),
    ...(times.length > 0 ? { dueAt: Math.min(...times) } : {}),
    ...(parent === undefined ? {} : { parent }),
    ...(questions === undefined ? {} : { decisionsOpen: questions }),
    ...(queue === undefined ? {} : { queue: queue as QueueName }),
    ...(since === undefined ? {} : { waitingSince: Math.floor(since) }),
  };
}

export function viewOf(record: StoreRecord): RecordView {
  const state = stateOf(record);
  const {
    address,
    channel,
    holds,
    turn,
    inbox,
    lifecycle,
    flow,
    copyOf,
    children = {},
    used = noUsage,
    notes,
  } = state;
  const idsOf = (kind: string) =>
    record.outbox
      .filter(({ body }) => isRecord(body) && body['kind'] === kind)
      .map(({ id }) => id.slice(id.indexOf(':') + 1));
  return {
    ...summaryOf(record),
    definition: flowDefinitionOf(record, state) ?? record.definition!,
    address,
    channel,
    holdsContact: holds,
    isAnswering: turn !== null || inbox.count > 0,
    children: Object.values(children).map(({ id }) => id),
    ...(copyOf ? { copyOf } : {}),
    ...(notes ? { notes } : {}),
    lifecycle: contextIn(lifecycle.snapshot) as InstanceView['lifecycle'],
    flow: stateValueIn(flow),
    undelivered: idsOf('message'),
    calls: idsOf('call'),
    decisions: openDecisionsOf(record).map(withoutData),
    timers: record.timers,
    used,
    transcriptLength: record.transcriptLength,
    journalLength: record.journalLength,
  };
}

/** Between turns, the questions of the flow are not open. */
export function openDecisionsOf(record: StoreRecord): readonly AskedDecision[] {
  if (record.ended) return [];
  const { lifecycle, flow, turn } = stateOf(record);
  return [
    ...openDecisionsIn(lifecycle.snapshot),
    ...(turn === null ? [] : openDecisionsIn(flow ?? null)),
  ];
}

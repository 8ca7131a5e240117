import { isRecord, type Json } from '@dramaturg/compiler';
import {
  type AskedDecision,
  type OpenDecision,
  openDecisionsIn,
  withoutData,
} from '../instance/open-decisions.ts';
import type { CopyOf, InstanceState } from '../instance/state.ts';
import { nothingUsed, type Used } from '../limits/index.ts';
import type { DefinitionVersion, RecordSummary, StoreRecord, Timer } from '../store/contract.ts';

/** An instance in a list. Times are milliseconds since 1970 UTC. */
export interface InstanceSummary {
  readonly id: string;
  readonly definition: DefinitionVersion;
  /** As contacts are compared. */
  readonly contact?: string;
  readonly state: string;
  readonly ended: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When its earliest timer is due. */
  readonly dueAt?: number;
  /** The instance that has called it as an agent. */
  readonly parent?: string;
  /** How many decisions of people it waits for; absent when there is none. */
  readonly decisionsOpen?: number;
}

/** All there is to see of an instance, but for its transcript and its journal. */
export interface InstanceView extends InstanceSummary {
  /** The contact as it was written. */
  readonly address: string | null;
  readonly channel: string | null;
  readonly holdsContact: boolean;
  /** Instances that it has called as agents and waits for. */
  readonly children: readonly string[];
  /** Where it has begun, when it is a copy of another one. */
  readonly copyOf?: CopyOf;
  /** What its lifecycle keeps. */
  readonly lifecycle: Readonly<Record<string, Json>>;
  /** The states that the conversation or workflow is in; null before it has begun. */
  readonly flow: Json;
  /** Ids of messages that its channel has not taken yet. */
  readonly undelivered: readonly string[];
  /** Calls that are being made, by key. */
  readonly calls: readonly string[];
  /** What a person is asked to decide. */
  readonly decisions: readonly OpenDecision[];
  /** When its timers are due, milliseconds since 1970 UTC. */
  readonly timers: readonly Timer[];
  /** What its calls have used up so far. */
  readonly used: Used;
  readonly transcriptLength: number;
  readonly journalLength: number;
}

export function summaryOf(record: RecordSummary): InstanceSummary {
  const { id, definition, contact, status, ended, createdAt, updatedAt, timers } = record;
  const { questions, parent } = record;
  const times = timers.map(({ at }) => at);
  return {
    id,
    definition: definition!,
    ...(contact === undefined ? {} : { contact }),
    state: status,
    ended,
    // Fractions keep apart what was created within one millisecond.
    createdAt: Math.floor(createdAt),
    updatedAt: Math.floor(updatedAt),
    ...(times.length > 0 ? { dueAt: Math.min(...times) } : {}),
    ...(parent === undefined ? {} : { parent }),
    ...(questions === undefined ? {} : { decisionsOpen: questions }),
  };
}

export function viewOf(record: StoreRecord): InstanceView {
  const {
    address,
    channel,
    holds,
    lifecycle,
    flow,
    copyOf,
    children = {},
    used = nothingUsed,
  } = record.snapshot as unknown as InstanceState;
  const idsOf = (kind: string) =>
    record.outbox
      .filter(({ body }) => isRecord(body) && body['kind'] === kind)
      .map(({ id }) => id.slice(id.indexOf(':') + 1));
  return {
    ...summaryOf(record),
    address,
    channel,
    holdsContact: holds,
    children: Object.values(children).map(({ id }) => id),
    ...(copyOf ? { copyOf } : {}),
    lifecycle: fieldOf(lifecycle.snapshot, 'context') as InstanceView['lifecycle'],
    flow: fieldOf(flow ?? null, 'value'),
    undelivered: idsOf('message'),
    calls: idsOf('call'),
    decisions: openDecisionsOf(record).map(withoutData),
    timers: record.timers,
    used,
    transcriptLength: record.transcriptLength,
    journalLength: record.journalLength,
  };
}

/** Between turns a flow stands still, and takes no decision. */
export function openDecisionsOf({ snapshot, ended }: StoreRecord): readonly AskedDecision[] {
  if (ended) return [];
  const { lifecycle, flow, turn } = snapshot as unknown as InstanceState;
  return [
    ...openDecisionsIn(lifecycle.snapshot),
    ...(turn === null ? [] : openDecisionsIn(flow ?? null)),
  ];
}

export function fieldOf(snapshot: Json, name: string): Json {
  return isRecord(snapshot) ? (snapshot[name] ?? null) : null;
}

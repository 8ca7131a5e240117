import type { Json, JsonObject, PortInput } from '@dramaturg/compiler';
import type { ItemFailures } from '@dramaturg/compiler/chart';
import type { AgentEnding, ToolPermissions } from '@dramaturg/compiler/machine';
import type { UsageTotal } from '../limits/index.ts';
import type { DefinitionVersion, StoreRecord } from '../store/contract.ts';
import type { Claim } from './claim.ts';
import type { StoredReport } from './delivery-reports.ts';
import type { HostEvent, LifecycleEventObject } from './event.ts';
import type { HeardLines, Inbox, Question } from './inbox.ts';
import type { Note } from './note.ts';

/**
 * The stored snapshot of an instance: its two machines, and the data that belongs to neither. Its size does not grow with the
 * conversation: answered messages are only in the transcript.
 */
export interface InstanceState {
  readonly lifecycle: { readonly definition: DefinitionVersion; readonly snapshot: Json };
  /** The snapshot of the conversation or workflow; absent before the first turn, and without a flow. */
  readonly flow?: Json;
  /** The origin of a copy. */
  readonly copyOf?: CopyOf;
  /** True for a fork while its steps are still being repeated. */
  readonly forking?: true;
  /** The instance that has called this one as an agent. */
  readonly parent?: ParentRef;
  /** Instances that this one has called as agents, by the call. */
  readonly children?: Readonly<Record<string, ChildRef>>;
  /** The ending of the instance, for its parent. */
  readonly ending?: AgentEnding;
  /** The input of the flow. */
  readonly input: JsonObject;
  /** The contact as it was given, for channels. */
  readonly address: string | null;
  readonly channel: string | null;
  /** Whether the instance holds the contact: no other instance may write to it. */
  readonly holds: boolean;
  readonly turn: Turn | null;
  /** True after the conversation has called the agent. Until then the contact has to write first. */
  readonly asked?: true;
  /** Why the last turn has failed; absent or null after a turn that ended well. A workflow stores its failure itself. */
  readonly failure?: TurnFailure | null;
  /** The person who has taken the conversation over, expired or not; absent or null without a claim. */
  readonly claim?: Claim | null;
  /** The latest notes of people. */
  readonly notes?: readonly Note[];
  /** Present while the contact has opted out, until START; otherwise absent or null. `resumes`: the opt-out has paused the instance. */
  readonly stopped?: { readonly resumes: boolean } | null;
  /** A word of the contact that its next turn obeys. */
  readonly word?: 'person' | 'restart' | null;
  /** When the contact last got the answer that the conversation has ended, in milliseconds since 1970 UTC. Absent before. */
  readonly farewellAt?: number;
  /** How often its flow was restarted. Absent before the first restart. */
  readonly restarts?: number;
  /** Failed calls that are retried, by letter. */
  readonly repeated?: Readonly<Record<string, RepeatedCall>>;
  /** The failures of items of a Map that runs; absent before the first. */
  readonly itemFailures?: ItemFailures | undefined;
  /** The consumption of its calls so far; absent before the first call has ended. */
  readonly used?: UsageTotal;
  /** Messages of the contact that the flow has not received yet. */
  readonly inbox: Inbox;
  /** The messages that the flow received last. */
  readonly heard?: HeardLines;
  /** Lines before this index were answered by hand. Absent when none were. */
  readonly answeredTo?: number;
  /** How many messages of the contact it has received; may be a few too high. Absent before the first. */
  readonly received?: number;
  /** The last message of the agent that is not a reminder; absent before its first message. */
  readonly question?: Question;
  /** Delivery reports about its latest messages; absent before the first report. */
  readonly reports?: readonly StoredReport[];
  /** The versions of its flow that it has run, the first one first; absent until it is migrated. */
  readonly versions?: readonly DefinitionVersion[];
  /** The flow that its last step, a migration, has replaced. Absent after any other step. */
  readonly replaced?: ReplacedFlow;
  /** Events of the agent that end its turn, kept until the turn ends. At most one of each type. */
  readonly endings: readonly LifecycleEventObject[];
}

/** The flow before a migration. */
export interface ReplacedFlow {
  readonly definition: DefinitionVersion;
  /** Absent when the flow had not begun. */
  readonly flow?: Json;
}

/** The parent of an instance. */
export interface ParentRef {
  readonly instance: string;
  /** The letter of the parent's call. */
  readonly call: string;
  /** The parent, its parent, and so on. */
  readonly ancestors: readonly string[];
  /** The part of the parent's budget that the instance may use. */
  readonly remainingBudget?: RemainingBudget;
  /** The tools that the parent permits. */
  readonly tools?: ToolPermissions;
}

/** The rest of a budget. Absent fields are unlimited. */
export type RemainingBudget = NonNullable<PortInput<'runAgent'>['left']>;

export interface ChildRef {
  readonly id: string;
  /** The last turn of the parent that has asked for the child. */
  readonly turn: string;
}

/** The instance that was copied, and its save point. */
export interface CopyOf {
  readonly instance: string;
  readonly checkpoint: string;
}

/** The running turn of the agent. */
export interface Turn {
  readonly id: string;
  readonly kind: string;
  /** How often its reply was replaced because of newer messages. Absent when it was not. */
  readonly superseded?: number;
  /** The call for a reminder, in a follow-up turn. The flow does not know about it. */
  readonly followUp: PortInput<'reply'> | null;
}

export interface TurnFailure {
  /** The code of the error; null when it has none. */
  readonly error: string | null;
  readonly cause: string;
}

/** The data with which an instance begins. */
export interface Birth {
  readonly id: string;
  readonly contact?: string;
  readonly address: string | null;
  readonly channel: string | null;
  /** Whether this instance waits, because another one holds the contact. */
  readonly queued: boolean;
  /** The input of the flow. */
  readonly input: JsonObject;
  /** The first message, if the contact writes first. */
  readonly message?: { readonly text: string; readonly id?: string; readonly data?: JsonObject };
  /** The trace of the request that has started it. */
  readonly traceparent?: string;
  /** Additional input of the lifecycle, such as its heartbeat and a checklist. */
  readonly lifecycleInput: JsonObject;
  readonly parent?: ParentRef;
  /** The flow that a copy begins with. */
  readonly copy?: { readonly of: CopyOf; readonly flow: Json };
}

/** The version of the flow that an instance runs; undefined when it has no flow. */
export function flowDefinitionOf(
  { definition }: Pick<StoreRecord, 'definition'>,
  { lifecycle, versions }: Pick<InstanceState, 'lifecycle' | 'versions'>,
): DefinitionVersion | undefined {
  const own = lifecycle.definition;
  const isOwn = own.name === definition?.name && own.version === definition.version;
  return isOwn ? undefined : (versions?.at(-1) ?? definition);
}

/** The field of events that names the ancestors of their instance. */
export function ancestryOf({ parent }: Pick<InstanceState, 'parent'>): Pick<HostEvent, 'within'> {
  return parent ? { within: parent.ancestors } : {};
}

/** The request of an instance to a child that runs as its agent. */
export interface ChildRequest {
  readonly input: Json;
  readonly remainingBudget: RemainingBudget | undefined;
  readonly tools: ToolPermissions | undefined;
}

/** A failed call that is retried. */
export interface RepeatedCall {
  /** How often it was made. */
  readonly attempt: number;
  /** When it is retried, milliseconds since 1970 UTC; null while it is running. */
  readonly at: number | null;
  /** The error of the last attempt. */
  readonly error: string;
  readonly cause: string;
}

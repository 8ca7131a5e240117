/**
 * An event of an inspector, as plain JSON. The first three are the events of `@statelyai/inspect`, field by field, so
 * that its readers work unchanged. The others are additions for statecharts that call ports.
 */
export type InspectorEvent =
  | ActorEvent
  | SentEvent
  | SnapshotEvent
  | TransitionEvent
  | GuardEvent
  | EmittedEvent
  | StepEvent;

/** The events that `@statelyai/inspect` knows. */
export type StatelyEvent = ActorEvent | SentEvent | SnapshotEvent;

interface InspectorEventFields {
  /** The id of the actor. Unique in an inspector, even with several actor systems. */
  readonly sessionId: string;
  /** The id of the first actor of its system. */
  readonly rootId: string;
  /** Milliseconds since 1970 UTC, as a string. */
  readonly createdAt: string;
  /** The index of the event, as a string: '0', '1', ... */
  readonly id: string;
  readonly _version: string;
}

/** An actor was created. */
export interface ActorEvent extends InspectorEventFields {
  readonly type: '@xstate.actor';
  /** The id of the actor or of its machine. */
  readonly name: string;
  readonly parentId: string | undefined;
  /** The chart of its machine, as a JSON string; undefined for an actor without a machine. */
  readonly definition: string | undefined;
  readonly snapshot: InspectedSnapshot;
  /** The name under which its parent invokes or spawns it; for a port call, the port. */
  readonly src?: string;
  /** The call of a port that the actor makes. */
  readonly call?: InspectedCall;
}

/** An event was sent to an actor. */
export interface SentEvent extends InspectorEventFields {
  readonly type: '@xstate.event';
  readonly event: InspectedEvent;
  /** The sender; undefined when the event comes from outside. */
  readonly sourceId: string | undefined;
}

/** An actor has handled an event and is at rest. */
export interface SnapshotEvent extends InspectorEventFields {
  readonly type: '@xstate.snapshot';
  readonly event: InspectedEvent;
  readonly snapshot: InspectedSnapshot;
}

/** A machine has taken the transitions of one microstep. */
export interface TransitionEvent extends InspectorEventFields {
  readonly type: '@dramaturg.transition';
  readonly event: InspectedEvent;
  readonly taken: readonly TakenTransition[];
}

export interface TakenTransition {
  /** The id of the node that the transition leaves. */
  readonly from: string;
  /** The ids of its targets; empty for a transition without a target. */
  readonly to: readonly string[];
  readonly guard?: string;
  /** The path of the transition in the definition. */
  readonly origin?: readonly (string | number)[];
}

/** A guard was evaluated. The guards of a step come before its snapshot, in the order of evaluation. */
export interface GuardEvent extends InspectorEventFields {
  readonly type: '@dramaturg.guard';
  readonly guard: string;
  readonly params: unknown;
  readonly event: InspectedEvent;
  /** The context fields that the guard read. */
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly result: boolean;
  /** The reason for the result, in the author's words. Absent for a guard that the author did not write. */
  readonly reason?: InspectedReason;
}

export interface InspectedReason {
  readonly text: string;
  /** The values that decided, by the author's names. Null for a missing value. */
  readonly values?: Readonly<Record<string, unknown>>;
}

/** An actor emitted an event. */
export interface EmittedEvent extends InspectorEventFields {
  readonly type: '@dramaturg.emitted';
  readonly event: InspectedEvent;
}

/** The beginning of a step of a stored instance. The events after it belong to the step. */
export interface StepEvent extends InspectorEventFields {
  readonly type: '@dramaturg.step';
  /** 1 for the first. */
  readonly step: number;
  /** The event that the instance handled. */
  readonly event: InspectedEvent;
  /** How the events after it differ from the recorded ones; absent if they do not differ. */
  readonly departs?: string;
}

export interface InspectedEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A snapshot as JSON. */
export interface InspectedSnapshot {
  readonly status?: 'active' | 'done' | 'error' | 'stopped';
  readonly value?: unknown;
  readonly context?: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
  readonly tags?: readonly string[];
  /** The ids of all active state nodes. */
  readonly nodes?: readonly string[];
  /** The paths of its innermost nodes in the definition. */
  readonly origins?: readonly (readonly (string | number)[])[];
  /** The progress of a supervisor of items. */
  readonly items?: ItemProgress;
}

export interface ItemProgress {
  readonly ended: number;
  readonly total: number;
}

/** A port call. */
export interface InspectedCall {
  readonly port: string;
  /** The idempotency key: the same when the call is repeated. */
  readonly key: string;
  readonly input: unknown;
}

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
  /** The actor. Unique in an inspector, even with several actor systems. */
  readonly sessionId: string;
  /** The first actor of its system. */
  readonly rootId: string;
  /** Milliseconds since 1970 UTC, as text. */
  readonly createdAt: string;
  /** The index of the event, as text: '0', '1', ... */
  readonly id: string;
  readonly _version: string;
}

/** An actor was created. */
export interface ActorEvent extends InspectorEventFields {
  readonly type: '@xstate.actor';
  /** Its id, or that of its machine. */
  readonly name: string;
  readonly parentId: string | undefined;
  /** The chart of its machine, as JSON text; undefined for an actor without a machine. */
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
  /** The actor that sends it; undefined when it comes from outside. */
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
  /** The id of the node that it leaves. */
  readonly from: string;
  /** The ids of its targets; none for a transition without target. */
  readonly to: readonly string[];
  readonly guard?: string;
  /** Where the author wrote it. */
  readonly origin?: readonly (string | number)[];
}

/** A guard was evaluated. The guards of a step come before its snapshot, in the order of evaluation. */
export interface GuardEvent extends InspectorEventFields {
  readonly type: '@dramaturg.guard';
  readonly guard: string;
  readonly params: unknown;
  readonly event: InspectedEvent;
  /** The fields of the context that it read. */
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly result: boolean;
  /** Why it has this result, in the author's words. Absent for a guard that authors do not know. */
  readonly reason?: InspectedReason;
}

export interface InspectedReason {
  readonly text: string;
  /** The values that decided, by the author's names. Null for a value that is missing. */
  readonly values?: Readonly<Record<string, unknown>>;
}

/** An actor emitted an event. */
export interface EmittedEvent extends InspectorEventFields {
  readonly type: '@dramaturg.emitted';
  readonly event: InspectedEvent;
}

/** The following events belong to a step of a stored instance. */
export interface StepEvent extends InspectorEventFields {
  readonly type: '@dramaturg.step';
  /** 1 for the first. */
  readonly step: number;
  /** The event that the instance handled. */
  readonly event: InspectedEvent;
  /** How the following events differ from the recorded ones; absent if they do not. */
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
  /** How far the supervisor of a list of items is. */
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

/**
 * What an inspector tells. The first three are the events of `@statelyai/inspect`, field by field, so that whatever reads
 * those reads these. The others are what a statechart that asks ports has to say besides. All of it is plain JSON.
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
  /** The actor. Unique in an inspector, also when it observes several systems of actors. */
  readonly sessionId: string;
  /** The first actor of its system. */
  readonly rootId: string;
  /** Milliseconds since 1970 UTC, as text. */
  readonly createdAt: string;
  /** The place of the event in the order of all, as text: '0', '1', ... */
  readonly id: string;
  readonly _version: string;
}

/** An actor has come to life. */
export interface ActorEvent extends InspectorEventFields {
  readonly type: '@xstate.actor';
  /** Its id, or that of its machine. */
  readonly name: string;
  readonly parentId: string | undefined;
  /** Its machine as a chart, as JSON text; undefined for an actor that is no machine. */
  readonly definition: string | undefined;
  readonly snapshot: InspectedSnapshot;
  /** What its parent invokes or spawns it as: for a call of a port, the port. */
  readonly src?: string;
  /** The call of a port that the actor makes. */
  readonly call?: InspectedCall;
}

/** An event is on its way to an actor. */
export interface SentEvent extends InspectorEventFields {
  readonly type: '@xstate.event';
  readonly event: InspectedEvent;
  /** The actor that sends it; undefined when it comes from outside. */
  readonly sourceId: string | undefined;
}

/** An actor has taken an event, and is at rest again. */
export interface SnapshotEvent extends InspectorEventFields {
  readonly type: '@xstate.snapshot';
  readonly event: InspectedEvent;
  readonly snapshot: InspectedSnapshot;
}

/** A machine has taken transitions on its way: one microstep. */
export interface TransitionEvent extends InspectorEventFields {
  readonly type: '@dramaturg.transition';
  readonly event: InspectedEvent;
  readonly taken: readonly TakenTransition[];
}

export interface TakenTransition {
  /** The id of the node that it leaves. */
  readonly from: string;
  /** The ids of the nodes that it leads to; none when it stays. */
  readonly to: readonly string[];
  readonly guard?: string;
}

/** A guard was asked. Those of one step come before its snapshot, in the order in which they were asked. */
export interface GuardEvent extends InspectorEventFields {
  readonly type: '@dramaturg.guard';
  readonly guard: string;
  readonly params: unknown;
  readonly event: InspectedEvent;
  /** The fields of the context that it has looked at. */
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly result: boolean;
}

/** An actor tells whoever listens to it. */
export interface EmittedEvent extends InspectorEventFields {
  readonly type: '@dramaturg.emitted';
  readonly event: InspectedEvent;
}

/** What follows belongs to a step of a stored instance. */
export interface StepEvent extends InspectorEventFields {
  readonly type: '@dramaturg.step';
  /** 1 for the first. */
  readonly step: number;
  /** What the instance took. */
  readonly event: InspectedEvent;
  /** Why what follows is not what was recorded; absent when it is. */
  readonly departs?: string;
}

export interface InspectedEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A snapshot as far as JSON can say it. */
export interface InspectedSnapshot {
  readonly status?: 'active' | 'done' | 'error' | 'stopped';
  readonly value?: unknown;
  readonly context?: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
  readonly tags?: readonly string[];
  /** The ids of all state nodes that it stands in. */
  readonly nodes?: readonly string[];
  /** Where its innermost nodes come from: paths into the definition. */
  readonly origins?: readonly (readonly (string | number)[])[];
}

/** A call of a port: what a chart asks of the outside world. */
export interface InspectedCall {
  readonly port: string;
  /** The same when the call is made again. */
  readonly key: string;
  readonly input: unknown;
}

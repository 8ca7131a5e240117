import type { ActorRefLike, AnyActorRef, InspectionEvent, Snapshot, Subscription } from 'xstate';
import { Copies, takenOf } from './copies.ts';
import type { InspectedEvent, InspectedReason, InspectorEvent } from './events.ts';
import type { EvaluatedGuard } from './guards.ts';
import { applyTo, hasEnded, letGo, type RecordedActor, type Recording } from './recording.ts';
import { inXState5Words, type XState6Inspection } from './xstate6.ts';
import { isMachine } from './chart.ts';

export interface InspectorOptions {
  /** The number of events to keep. 5,000 by default. */
  readonly limit?: number;
  /** Milliseconds since 1970 UTC. */
  readonly now?: () => number;
}

/** An event without its index. */
type Unplaced<Event = InspectorEvent> = Event extends InspectorEvent
  ? Omit<Event, 'rootId' | 'createdAt' | 'id' | '_version'>
  : never;

interface InspectedSystem {
  readonly inspect: (observer: (event: InspectionEvent) => void) => Subscription;
}

/** The observation of a running actor system. */
interface Attached {
  readonly subscription: Subscription;
  /** The attachments that have not been detached. */
  readonly by: Set<symbol>;
}

const usualLimit = 5_000;

/** The version of the event layout. */
const layout = '1';

/**
 * Observes XState 5 actors of any program and passes events to its subscribers. It has no cost while it is not attached.
 * While attached it copies what it observes, because actors may change it later: an event of a small machine takes 8 µs
 * instead of 2.5.
 *
 *     const inspector = createInspector();
 *     const actor = createActor(machine, { inspect: inspector.inspect }).start();   // from the first moment
 *     const detach = inspector.attach(other);                                       // or at any time
 */
export function createInspector(options: InspectorOptions = {}): Inspector {
  return new Inspector(options);
}

export class Inspector {
  readonly #now: () => number;
  readonly #ids = new ActorIds();
  readonly #copies = new Copies();
  readonly #buffer: RecordingBuffer;
  readonly #listeners = new Set<(event: InspectorEvent) => void>();
  /** Running actors, to send events to. */
  readonly #refs = new Map<string, WeakRef<AnyActorRef>>();
  /** Subscriptions to the emitted events of each running actor. */
  readonly #hearing = new Map<string, Subscription>();
  /** Actor systems that report through the option `inspect`. */
  readonly #inspected = new WeakSet<object>();
  readonly #attached = new WeakMap<object, Attached>();
  #count = 0;
  /** The events of actors that have not led to a snapshot yet. */
  readonly #acting = new Map<AnyActorRef, InspectedEvent>();
  /** Guards evaluated by an actor whose event has not arrived yet. */
  #guards: EvaluatedGuard[] = [];

  constructor({ limit = usualLimit, now = Date.now }: InspectorOptions) {
    this.#buffer = new RecordingBuffer(limit);
    this.#now = now;
  }

  /** The option `inspect` for `createActor` of XState 5 and 6. */
  readonly inspect = (happening: InspectionEvent | XState6Inspection): void => {
    const { system } = happening.actorRef as AnyActorRef;
    this.#inspected.add(system);
    for (const each of inXState5Words(happening)) this.#see(each);
  };

  /**
   * Observes a running actor and its whole system from now on. Attaching a system twice does not duplicate events.
   *
   * @returns detaches; observation stops when every attachment of the system is detached
   */
  attach(actor: AnyActorRef): () => void {
    const { system } = actor as AnyActorRef & { readonly system: InspectedSystem };
    if (this.#inspected.has(system)) return () => {};
    const attached = this.#attached.get(system) ?? this.#observe(actor, system);
    const attachment = Symbol('attachment');
    attached.by.add(attachment);
    return () => {
      attached.by.delete(attachment);
      if (attached.by.size > 0 || this.#attached.get(system) !== attached) return;
      this.#attached.delete(system);
      attached.subscription.unsubscribe();
      const prefix = this.#ids.prefix(actor);
      for (const sessionId of this.#hearing.keys())
        if (sessionId.startsWith(prefix)) this.#forget(sessionId);
    };
  }

  /** Records a guard evaluated by the actor whose snapshot comes next. */
  readonly recordGuard = (asked: EvaluatedGuard): void => {
    this.#guards.push(asked);
  };

  /** Adds an event of the caller. */
  note(event: Unplaced, rootId: string = event.sessionId): void {
    const fields = Object.entries(event).map(([name, value]) => [
      name,
      typeof value === 'object' ? this.#copies.copy(value) : value,
    ]);
    this.#record(Object.fromEntries(fields) as Unplaced, rootId);
  }

  /** Calls the listener with every event from now on. @returns unsubscribes */
  subscribe(listener: (event: InspectorEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The kept part of the recording. */
  recording(): Recording {
    return this.#buffer.recording();
  }

  /** Why an actor would refuse an event now, as a sentence; undefined if it accepts it. */
  refusal(sessionId: string, event: InspectedEvent): string | undefined {
    const { type } = event;
    const snapshot = this.#refs.get(sessionId)?.deref()?.getSnapshot() as
      | (Snapshot<unknown> & { readonly can?: (event: InspectedEvent) => boolean })
      | undefined;
    if (snapshot?.status !== 'active') return 'The actor has ended and accepts no events.';
    if (type.startsWith('xstate.')) return `Only XState sends events such as "${type}".`;
    if (type === '*') return '"*" stands for every event, so it cannot be sent.';
    // Guards that are evaluated here do not belong to a step.
    const asked = this.#guards;
    this.#guards = [];
    try {
      return snapshot.can?.(event) === false
        ? `The actor does not accept "${type}" in its current state.`
        : undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      this.#guards = asked;
    }
  }

  /**
   * Sends an event to a running actor.
   *
   * @returns false when the actor no longer exists
   */
  send(sessionId: string, event: InspectedEvent): boolean {
    const actor = this.#refs.get(sessionId)?.deref();
    if (actor?.getSnapshot()?.status !== 'active') return false;
    actor.send(event);
    return true;
  }

  #see(happening: InspectionEvent): void {
    const { actorRef } = happening;
    const sessionId = this.#ids.of(actorRef);
    const rootId = this.#ids.of(rootOf(actorRef));
    switch (happening.type) {
      case '@xstate.actor':
        this.#meet(actorRef as AnyActorRef);
        break;
      case '@xstate.event': {
        const { sourceRef } = happening;
        const event = this.#copies.sent(happening.event);
        const sourceId = sourceRef ? this.#ids.of(sourceRef) : undefined;
        this.#record({ type: '@xstate.event', sessionId, sourceId, event }, rootId);
        this.#expectSnapshot(actorRef as AnyActorRef, event);
        break;
      }
      case '@xstate.microstep': {
        this.#tellGuards(actorRef);
        const { _transitions: taken } = happening;
        if (taken.length === 0) break;
        const event = this.#copies.event(happening.event);
        this.#record(
          { type: '@dramaturg.transition', sessionId, event, taken: taken.map(takenOf) },
          rootId,
        );
        break;
      }
      case '@xstate.snapshot': {
        this.#tellGuards(actorRef);
        this.#acting.delete(actorRef as AnyActorRef);
        const event = this.#copies.event(happening.event);
        const snapshot = this.#copies.snapshot(happening.snapshot);
        this.#record({ type: '@xstate.snapshot', sessionId, event, snapshot }, rootId);
        if (snapshot.status !== 'active') this.#forget(sessionId);
        break;
      }
      case '@xstate.transition':
        // Drops the guards of an event without a transition.
        this.#tellGuards(actorRef);
        break;
      case '@xstate.action':
        break;
    }
  }

  /**
   * XState does not report the snapshot of an actor that throws. An error subscription would make XState count errors as handled,
   * so the actor is checked after it has handled its event.
   */
  #expectSnapshot(actor: AnyActorRef, event: InspectedEvent): void {
    if (this.#acting.size === 0) queueMicrotask(() => this.#reportErrors());
    this.#acting.set(actor, event);
  }

  #reportErrors(): void {
    for (const [actor, event] of this.#acting) {
      const thrown = actor.getSnapshot() as Snapshot<unknown>;
      if (thrown?.status !== 'error') continue;
      const [sessionId, rootId] = [this.#ids.of(actor), this.#ids.of(rootOf(actor))];
      const snapshot = this.#copies.snapshot(thrown);
      this.#record({ type: '@xstate.snapshot', sessionId, event, snapshot }, rootId);
      this.#forget(sessionId);
    }
    this.#acting.clear();
  }

  /** Registers an actor that is being created and has no snapshot yet. */
  #meet(actor: AnyActorRef): void {
    const sessionId = this.#ids.of(actor);
    if (this.#hearing.has(sessionId)) return;
    const rootId = this.#ids.of(rootOf(actor));
    const { src, options, logic } = actor as unknown as {
      readonly src: unknown;
      readonly options?: { readonly input?: unknown };
      readonly logic?: unknown;
    };
    const parent = parentOf(actor);
    // Earlier guards belong to an actor that is not observed.
    if (!parent) this.#guards = [];
    this.#refs.set(sessionId, new WeakRef(actor));
    const hearing = actor.on?.('*', (event: unknown) =>
      this.#record(
        { type: '@dramaturg.emitted', sessionId, event: this.#copies.event(event) },
        rootId,
      ),
    );
    if (hearing) this.#hearing.set(sessionId, hearing);
    const call =
      typeof src === 'string' ? this.#copies.call(src, options?.input, logic) : undefined;
    this.#record(
      {
        type: '@xstate.actor',
        sessionId,
        name: nameOf(actor),
        parentId: parent ? this.#ids.of(parent) : undefined,
        definition: this.#copies.definition(actor as ActorWithLogic),
        snapshot: { status: 'active' },
        ...(typeof src === 'string' ? { src } : {}),
        ...(call ? { call } : {}),
      },
      rootId,
    );
  }

  #observe(actor: AnyActorRef, system: InspectedSystem): Attached {
    this.#introduce(rootOf(actor));
    const attached = {
      subscription: system.inspect((happening) => {
        for (const each of inXState5Words(happening)) this.#see(each);
      }),
      by: new Set<symbol>(),
    };
    this.#attached.set(system, attached);
    return attached;
  }

  /** Reports running actors, parents before their children. */
  #introduce(root: AnyActorRef): void {
    const pending = [root];
    for (const actor of pending) {
      this.#meet(actor);
      const snapshot = actor.getSnapshot() as Snapshot<unknown> & {
        readonly children?: Readonly<Record<string, AnyActorRef>>;
      };
      const [sessionId, rootId] = [this.#ids.of(actor), this.#ids.of(root)];
      const event = { type: 'inspector.attached' };
      this.#record(
        { type: '@xstate.snapshot', sessionId, event, snapshot: this.#copies.snapshot(snapshot) },
        rootId,
      );
      pending.push(...Object.values(snapshot.children ?? {}));
    }
  }

  #tellGuards(actorRef: ActorRefLike): void {
    if (this.#guards.length === 0) return;
    // A child may be at rest before its machine, and has no guards of its own.
    const asking = machineAround(actorRef);
    const sessionId = this.#ids.of(asking);
    const rootId = this.#ids.of(rootOf(asking));
    const asked = this.#guards;
    this.#guards = [];
    for (const { guard, params, event, inputs, result, reason } of asked) {
      this.#record(
        {
          type: '@dramaturg.guard',
          sessionId,
          guard,
          params: this.#copies.copy(params),
          event: this.#copies.event(event),
          inputs: this.#copies.copy(inputs) as Record<string, unknown>,
          result,
          ...(reason ? { reason: this.#copies.copy(reason) as InspectedReason } : {}),
        },
        rootId,
      );
    }
  }

  #forget(sessionId: string): void {
    this.#refs.delete(sessionId);
    this.#hearing.get(sessionId)?.unsubscribe();
    this.#hearing.delete(sessionId);
  }

  #record(event: Unplaced, rootId: string): void {
    const placed = {
      ...event,
      rootId,
      createdAt: String(this.#now()),
      id: String(this.#count),
      _version: layout,
    } as InspectorEvent;
    this.#count += 1;
    this.#buffer.add(placed, this.#copies.takeWeight());
    for (const listener of this.#listeners) listener(placed);
  }
}

/** An actor whose logic may be known. */
type ActorWithLogic = AnyActorRef & { readonly logic?: unknown };

/** Assigns ids to actors, because XState's ids are unique only within one system. */
class ActorIds {
  readonly #ids = new WeakMap<object, string>();
  readonly #systems = new WeakMap<object, number>();
  #count = 0;

  of(actor: ActorRefLike): string {
    const known = this.#ids.get(actor);
    if (known) return known;
    const id = `${this.#systemOf(actor)}/${actor.sessionId}`;
    this.#ids.set(actor, id);
    return id;
  }

  /** The prefix of all ids in the system of an actor. */
  prefix(actor: ActorRefLike): string {
    return `${this.#systemOf(actor)}/`;
  }

  #systemOf(actor: ActorRefLike): number {
    const { system } = actor as AnyActorRef;
    let number = this.#systems.get(system);
    if (number === undefined) {
      number = this.#count += 1;
      this.#systems.set(system, number);
    }
    return number;
  }
}

function rootOf(actor: ActorRefLike): AnyActorRef {
  const parent = parentOf(actor);
  return parent ? rootOf(parent) : (actor as AnyActorRef);
}

function parentOf(actor: ActorRefLike): AnyActorRef | undefined {
  const { _parent: parent } = actor as AnyActorRef;
  return parent;
}

function nameOf(actor: ActorWithLogic): string {
  const { id, sessionId, logic } = actor;
  return id === sessionId && isMachine(logic) ? logic.id : id;
}

/** The machine of an actor, or of its nearest ancestor with one. */
function machineAround(actor: ActorRefLike): AnyActorRef {
  let at = actor as ActorWithLogic;
  while (!isMachine(at.logic) && parentOf(at)) at = parentOf(at)!;
  return at;
}

/** The approximate maximum number of characters of all kept events. */
const mostWeight = 64_000_000;

/** Keeps the last events and the actors before the first of them. Bounded in number and size. */
class RecordingBuffer {
  readonly #limit: number;
  readonly #before = new Map<string, RecordedActor>();
  /** The list of events. The first `#dropped` entries no longer count. */
  #events: InspectorEvent[] = [];
  #weights: number[] = [];
  #dropped = 0;
  #total = 0;

  /** @param limit the maximum number of events */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @param weight its approximate number of characters */
  add(event: InspectorEvent, weight: number): void {
    this.#events.push(event);
    this.#weights.push(weight);
    this.#total += weight;
    while (this.#kept > this.#limit || (this.#total > mostWeight && this.#kept > 1)) this.#drop();
  }

  recording(): Recording {
    return { actors: [...this.#before.values()], events: this.#events.slice(this.#dropped) };
  }

  get #kept(): number {
    return this.#events.length - this.#dropped;
  }

  #drop(): void {
    const oldest = this.#events[this.#dropped]!;
    applyTo(this.#before, oldest);
    const actor = this.#before.get(oldest.sessionId);
    if (actor && hasEnded(actor)) letGo(this.#before, actor);
    this.#total -= this.#weights[this.#dropped]!;
    this.#dropped += 1;
    // Dropped events are removed in batches: removing one at a time would copy the list each time.
    if (this.#dropped < this.#limit) return;
    this.#events = this.#events.slice(this.#dropped);
    this.#weights = this.#weights.slice(this.#dropped);
    this.#dropped = 0;
  }
}

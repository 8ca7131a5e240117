import type { Chart } from '@dramaturg/compiler';
import {
  applyTo,
  type InspectedEvent,
  type Inspector,
  type InspectorEvent,
  type RecordedActor,
} from '@dramaturg/inspector';
import { legacyEventName } from './event.ts';
import { legacyMachine, type LegacyMachine, standInMachine } from './machine.ts';
import { contextOf, legacyState } from './state.ts';

/** The part of an XState 4 interpreter that `@xstate/inspect` needs. */
interface LegacyService {
  readonly id: string;
  readonly sessionId: string;
  readonly parent?: { readonly sessionId: string };
  readonly machine: { readonly definition: LegacyMachine; readonly toJSON: () => LegacyMachine };
  readonly state: Record<string, unknown>;
  /** The inspector replaces this function by one that calls it. */
  send: (event: unknown) => void;
  readonly subscribe: (listener: (state: unknown) => void) => void;
  readonly onStop: (listener: () => void) => void;
}

/** The object that `@xstate/inspect` stores in `globalThis.__xstate__`. */
export interface LegacyDevTools {
  readonly register: (service: never) => void;
}

/**
 * Shows the actors that an inspector sees as services of XState 4.
 *
 * @returns stops showing them
 */
export function showServices(inspector: Inspector, devTools: LegacyDevTools): () => void {
  const services = new Services(inspector, devTools);
  const { actors, events } = inspector.recording();
  for (const actor of actors) services.know(actor);
  for (const event of events) services.see(event);
  const unsubscribe = inspector.subscribe((event) => services.see(event));
  return () => {
    unsubscribe();
    services.stop();
  };
}

class Services {
  readonly #inspector: Inspector;
  readonly #devTools: LegacyDevTools;
  readonly #actors = new Map<string, RecordedActor>();
  readonly #services = new Map<string, Service>();
  /** Events from before the actor's first snapshot. */
  readonly #early = new Map<string, InspectedEvent[]>();

  constructor(inspector: Inspector, devTools: LegacyDevTools) {
    this.#inspector = inspector;
    this.#devTools = devTools;
  }

  /** Adds an actor that existed before the first event. */
  know(actor: RecordedActor): void {
    this.#actors.set(actor.sessionId, actor);
    this.#register(actor, { type: 'xstate.init' });
  }

  see(event: InspectorEvent): void {
    applyTo(this.#actors, event);
    const { sessionId } = event;
    if (event.type === '@xstate.event') {
      const service = this.#services.get(sessionId);
      if (service) service.show(event.event);
      else this.#early.set(sessionId, [...(this.#early.get(sessionId) ?? []), event.event]);
    }
    if (event.type !== '@xstate.snapshot') return;
    const actor = this.#actors.get(sessionId);
    if (!actor) return;
    const service = this.#services.get(sessionId) ?? this.#register(actor, event.event);
    service.change(actor, event.event);
    if (event.snapshot.status === 'active') return;
    service.stop();
    this.#services.delete(sessionId);
  }

  /** Stops all services, because the package keeps them until they stop. */
  stop(): void {
    for (const service of this.#services.values()) service.stop();
    this.#services.clear();
  }

  #register(actor: RecordedActor, event: InspectedEvent): Service {
    const { sessionId } = actor;
    const service = new Service(actor, event, (given) => this.#inspector.send(sessionId, given));
    this.#services.set(sessionId, service);
    this.#devTools.register(service as never);
    for (const early of this.#early.get(sessionId) ?? []) service.show(early);
    this.#early.delete(sessionId);
    return service;
  }
}

class Service implements LegacyService {
  readonly id: string;
  readonly sessionId: string;
  readonly parent?: { readonly sessionId: string };
  readonly machine: LegacyService['machine'];
  state: Record<string, unknown>;
  readonly #listeners = new Set<(state: unknown) => void>();
  readonly #stopListeners = new Set<() => void>();
  readonly #forward: (event: InspectedEvent) => void;
  /** Whether an event is only shown, because the actor already has it. */
  #isTelling = false;
  /** Whether an event is being sent to the actor, which was already shown when it arrived. */
  #isForwarding = false;

  constructor(
    { sessionId, parentId, name, definition, snapshot }: RecordedActor,
    event: InspectedEvent,
    forward: (event: InspectedEvent) => void,
  ) {
    this.id = name;
    this.sessionId = sessionId;
    if (parentId !== undefined) this.parent = { sessionId: parentId };
    const machine =
      definition === undefined
        ? standInMachine(name, contextOf(snapshot))
        : legacyMachine(JSON.parse(definition) as Chart, snapshot.context);
    this.machine = { definition: machine, toJSON: () => machine };
    this.state = legacyState(snapshot, event, sessionId);
    this.#forward = forward;
  }

  /** Called by the inspector for events sent from it, and by `tell` for all others. */
  send = (event: unknown): void => {
    if (this.#isTelling) return;
    const data = (event as { readonly data?: unknown }).data ?? event;
    if (typeof (data as { readonly type?: unknown }).type !== 'string') return;
    this.#isForwarding = true;
    try {
      this.#forward(data as InspectedEvent);
    } finally {
      this.#isForwarding = false;
    }
  };

  /** Shows an event that the actor receives. */
  show(event: InspectedEvent): void {
    // Events sent from the inspector have already been shown.
    if (this.#isForwarding) {
      this.#isForwarding = false;
      return;
    }
    this.#isTelling = true;
    try {
      this.send(legacyEventData(event));
    } finally {
      this.#isTelling = false;
    }
  }

  change({ snapshot }: RecordedActor, event: InspectedEvent): void {
    this.state = legacyState(snapshot, event, this.sessionId);
    for (const listener of this.#listeners) listener(this.state);
  }

  stop(): void {
    for (const listener of this.#stopListeners) listener();
  }

  readonly subscribe = (listener: (state: unknown) => void): void =>
    void this.#listeners.add(listener);

  readonly onStop = (listener: () => void): void => void this.#stopListeners.add(listener);
}

function legacyEventData(event: InspectedEvent): InspectedEvent {
  return { ...event, type: legacyEventName(event.type) };
}

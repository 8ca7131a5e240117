import type { InspectorEvent, StepEvent } from '../../../src/events.ts';
import {
  applyTo,
  hasEnded,
  letGo,
  type RecordedActor,
  type Recording,
} from '../../../src/recording.ts';

/** A place at which one can stop and look: after a step of a stored run, or once an actor has come to rest. */
export interface Moment {
  /** Its place in the order of moments, also of those that are not kept any more. */
  readonly number: number;
  /** Its events: from, up to and not including. */
  readonly from: number;
  readonly to: number;
  /** Of a stored run. */
  readonly step?: StepEvent;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
}

export type Actors = ReadonlyMap<string, RecordedActor>;

/** Actors are kept at every so many events, so that going to any place is cheap. */
const between = 100;

/** A page that is left open does not grow without bound. */
const mostEvents = 20_000;

/** A recording that grows, and can be looked at from any of its moments. */
export class Reel {
  #events: InspectorEvent[] = [];
  #moments: Moment[] = [];
  #keyframes: Map<string, RecordedActor>[] = [];
  /** How actors are after the last event. */
  #last = new Map<string, RecordedActor>();
  #momentNumber = 0;
  #isStored = false;

  constructor({ actors, events }: Recording = { actors: [], events: [] }) {
    this.know(actors);
    this.append(events);
  }

  get events(): readonly InspectorEvent[] {
    return this.#events;
  }

  get moments(): readonly Moment[] {
    return this.#moments;
  }

  /** It has the steps of a stored run. */
  get isStored(): boolean {
    return this.#isStored;
  }

  /** Actors that were there before the first event. */
  know(actors: readonly RecordedActor[]): void {
    for (const actor of actors) this.#last.set(actor.sessionId, actor);
  }

  append(events: readonly InspectorEvent[]): void {
    for (const event of events) this.#add(event);
    if (this.#events.length > mostEvents) this.#forget();
  }

  /** How actors were when so many events had happened. */
  actorsAfter(count: number): Actors {
    if (count >= this.#events.length) return new Map(this.#last);
    const frame = Math.floor(count / between);
    const actors = new Map(this.#keyframes[frame] ?? []);
    for (let index = frame * between; index < count; index += 1)
      applyTo(actors, this.#events[index]!);
    return actors;
  }

  #add(event: InspectorEvent): void {
    // Of the step before the first that is kept whole there may be an end.
    if (event.type === '@dramaturg.step' && !this.#isStored) {
      this.#isStored = true;
      this.#events = [];
      this.#moments = [];
      this.#keyframes = [];
    }
    const index = this.#events.length;
    if (index % between === 0) this.#keyframes.push(new Map(this.#last));
    this.#events.push(event);
    applyTo(this.#last, event);
    const at = Number(event.createdAt);
    if (event.type === '@dramaturg.step') {
      const same = this.#moments.at(-1);
      // What came of a step otherwise than it was recorded is known at its end.
      if (same?.step?.step === event.step) {
        this.#moments[this.#moments.length - 1] = { ...same, step: event, to: index + 1 };
        return;
      }
      this.#momentNumber = event.step;
      this.#moments.push({ number: event.step, from: index, to: index + 1, step: event, at });
      return;
    }
    const current = this.#moments.at(-1);
    if (this.#isStored) {
      this.#moments[this.#moments.length - 1] = { ...current!, to: index + 1 };
      return;
    }
    // Whatever comes before an actor rests again belongs to the moment in which it does.
    const isOpen =
      current !== undefined && this.#events[current.to - 1]?.type !== '@xstate.snapshot';
    if (isOpen) this.#moments[this.#moments.length - 1] = { ...current, to: index + 1, at };
    else {
      this.#momentNumber += 1;
      this.#moments.push({ number: this.#momentNumber, from: index, to: index + 1, at });
    }
  }

  #forget(): void {
    const dropped = Math.ceil((this.#events.length - mostEvents / 2) / between) * between;
    const actors = new Map(this.#keyframes[dropped / between] ?? this.#last);
    for (const actor of actors.values()) if (hasEnded(actor)) letGo(actors, actor);
    const events = this.#events.slice(dropped);
    this.#moments = this.#moments
      .filter(({ to }) => to > dropped)
      .map((moment) => ({
        ...moment,
        from: Math.max(0, moment.from - dropped),
        to: moment.to - dropped,
      }));
    this.#events = events;
    this.#keyframes = [];
    for (const [index, event] of events.entries()) {
      if (index % between === 0) this.#keyframes.push(new Map(actors));
      applyTo(actors, event);
    }
    this.#last = actors;
  }
}

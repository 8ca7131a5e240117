import type { InspectorEvent, StepEvent } from '../../../src/events.ts';
import {
  applyTo,
  hasEnded,
  letGo,
  type RecordedActor,
  type Recording,
} from '../../../src/recording.ts';

/** A point in a recording that can be shown: after a step of a stored run, or when an actor is at rest. */
export interface Moment {
  /** Its index among all moments, including dropped ones. */
  readonly number: number;
  /** The range of its events: `from` inclusive, `to` exclusive. */
  readonly from: number;
  readonly to: number;
  /** The step of a stored run; absent for other runs. */
  readonly step?: StepEvent;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
}

export type Actors = ReadonlyMap<string, RecordedActor>;

/** The state of all actors is stored after every this many events, so that seeking is cheap. */
const between = 100;

/** Maximum number of kept events, which bounds the memory of a page that stays open. */
const mostEvents = 20_000;

/** A growing recording that can be shown at any of its moments. */
export class Playback {
  #events: InspectorEvent[] = [];
  #moments: Moment[] = [];
  #keyframes: Map<string, RecordedActor>[] = [];
  /** The actors after the last event. */
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

  /** Whether the recording has the steps of a stored run. */
  get isStored(): boolean {
    return this.#isStored;
  }

  /** Adds actors that existed before the first event. */
  know(actors: readonly RecordedActor[]): void {
    for (const actor of actors) this.#last.set(actor.sessionId, actor);
  }

  append(events: readonly InspectorEvent[]): void {
    for (const event of events) this.#add(event);
    if (this.#events.length > mostEvents) this.#forget();
  }

  /** The actors after the first `count` events. */
  actorsAfter(count: number): Actors {
    if (count >= this.#events.length) return new Map(this.#last);
    const frame = Math.floor(count / between);
    const actors = new Map(this.#keyframes[frame] ?? []);
    for (let index = frame * between; index < count; index += 1)
      applyTo(actors, this.#events[index]!);
    return actors;
  }

  #add(event: InspectorEvent): void {
    // Events before the first step are the end of a dropped step, and are removed.
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
      // Only the end of a step tells whether it differs from its recording.
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
    // Events before an actor is at rest belong to the moment when it is.
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

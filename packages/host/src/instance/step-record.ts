import type { Json } from '@dramaturg/compiler';
import { type Answer, type HostEvent, journalLine, type TranscriptLine } from './event.ts';
import type { Step } from './step-world.ts';
import { stepLine, type Taken } from './taken.ts';

/** A step of an instance: what it takes, and what it has come to so far. */
export class StepRecord {
  readonly step: Step;
  readonly taken: Taken;
  readonly events: HostEvent[] = [];
  readonly transcript: TranscriptLine[] = [];
  refusal: Answer | undefined;
  /** Why the instance is ended, when nothing is left of the budget for it. */
  usedUp: string | undefined;
  #notices = 0;

  constructor(step: Step, taken: Taken) {
    this.step = step;
    this.taken = taken;
  }

  /** Milliseconds since 1970 UTC. */
  get at(): number {
    return this.step.at;
  }

  /** The event that was sent: a refusal of another one, raised on the way, is not the answer. Empty when none was. */
  get asked(): string {
    return this.taken.type === 'event.taken' ? this.taken.event.type : '';
  }

  /** Nothing has come of it but a refusal. */
  get isRefused(): boolean {
    const isRefusal = ({ event }: HostEvent) => event.type === 'event.refused';
    return this.refusal !== undefined && this.events.every(isRefusal);
  }

  get journal(): Json[] {
    return [stepLine(this.step, this.taken), ...this.events.map(journalLine)];
  }

  /** Tells apart the notices of one step. */
  nextNotice(): number {
    this.#notices += 1;
    return this.#notices;
  }
}

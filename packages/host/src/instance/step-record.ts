import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { type Answer, type HostEvent, journalLine, type TranscriptLine } from './event.ts';
import type { Step } from './step-world.ts';
import type { WordMeaning } from './spoken-words.ts';
import { stepLine, type StepInput } from './step-input.ts';

/** A step of an instance: its input, and its result so far. */
export class StepRecord {
  readonly step: Step;
  readonly input: StepInput;
  readonly events: HostEvent[] = [];
  readonly transcript: TranscriptLine[] = [];
  refusal: Answer | undefined;
  /** The effect of the step's message, when it is a word. */
  heard: WordMeaning | undefined;
  /** The author of the step's message by hand, if named. */
  author: string | undefined;
  /** That message answers the lines before this index. */
  upTo: number | undefined;
  #notices = 0;

  constructor(step: Step, input: StepInput) {
    this.step = step;
    this.input = input;
  }

  /** Milliseconds since 1970 UTC. */
  get at(): number {
    return this.step.at;
  }

  /**
   * The type of the event that the step handles; empty when it handles none. Only a refusal of this event is the answer: machines
   * may raise and refuse other events in the step.
   */
  get eventType(): string {
    return this.input.type === 'event.taken' ? this.input.event.type : '';
  }

  /** The fields of the step's received message: data from the channel, and the question that it belongs to. */
  get messageFields(): Partial<TranscriptLine> {
    const { input } = this;
    if (input.type === 'instance.started')
      return input.birth.message?.data ? { data: input.birth.message.data } : {};
    if (input.type !== 'event.taken' || input.event.type !== 'message.received') return {};
    const { data, sentAt, replyTo, early } = input.event;
    return {
      ...(isRecord(data) && { data: data as JsonObject }),
      ...(typeof sentAt === 'number' && { sentAt }),
      ...(typeof replyTo === 'string' && { replyTo }),
      ...((early === 'previous' || early === 'other' || early === false) && { early }),
    };
  }

  /** Whether the step has changed nothing. */
  get isRefused(): boolean {
    const isRefusal = ({ event }: HostEvent) => event.type === 'event.refused';
    return this.refusal !== undefined && this.events.every(isRefusal);
  }

  get journal(): Json[] {
    const lines = this.events.map((event) => journalLine(event, this.transcript));
    return [stepLine(this.step, this.input), ...lines];
  }

  /** Numbers the notices of a step. */
  nextNotice(): number {
    this.#notices += 1;
    return this.#notices;
  }
}

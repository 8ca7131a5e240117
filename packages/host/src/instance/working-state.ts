import type { EventObject } from '@dramaturg/compiler';
import type { Attention, StoreRecord } from '../store/contract.ts';
import { readLines } from '../store/pages.ts';
import type { Source, TranscriptLine } from './event.ts';
import { Outbox } from './outbox.ts';
import { refusal } from './refusal.ts';
import { Spending } from './spending.ts';
import type { InstanceState } from './state.ts';
import type { StepRecord } from './step-record.ts';
import { type ReadLines, Transcript } from './transcript.ts';

/** An event that a machine or the host has emitted in this step. */
export interface EmittedEvent {
  readonly source: Source;
  readonly event: EventObject;
}

export type StoredFields = Pick<
  StoreRecord,
  'id' | 'status' | 'ended' | 'transcriptLength' | 'outbox'
> & {
  readonly contact?: string | undefined;
  readonly attention?: Attention;
};

/**
 * Owns the state of an instance outside its machines during a step: status, outbox, spending, the record of the step, and the
 * emitted events that are not handled yet.
 */
export class WorkingState {
  readonly id: string;
  readonly contact: string | undefined;
  readonly outbox: Outbox;
  readonly spending: Spending;
  /** Emitted events that are not handled yet, in order. */
  readonly emitted: EmittedEvent[] = [];
  readonly transcript: Transcript;
  readonly receivedIds: ReceivedIds;
  state: InstanceState;
  status: string;
  ended: boolean;
  /** The queue of people's work that it is in, at the last change that was taken. */
  attention: Attention;
  /** When a person acted on it since then. */
  actedAt: number | undefined;
  /** Why the instance has ended, when its budget was used up. */
  budgetExceeded: string | undefined;
  /** The present step, or the last one. */
  step!: StepRecord;

  /** @param readStored reads the stored transcript */
  constructor(stored: StoredFields, state: InstanceState, readStored: ReadLines) {
    this.id = stored.id;
    this.contact = stored.contact;
    this.status = stored.status;
    this.ended = stored.ended;
    this.transcript = new Transcript(stored.transcriptLength, readStored);
    this.receivedIds = new ReceivedIds(this.transcript);
    this.outbox = new Outbox(stored.outbox);
    this.spending = new Spending(state.used);
    this.state = state;
    this.attention = stored.attention ?? {};
  }

  /** The number of messages of the contact that it has received, or a few more. */
  get receivedCount(): number {
    return this.state.received ?? this.transcript.length;
  }

  emit(source: Source, event: EventObject): void {
    this.emitted.push({ source, event });
  }

  addLine(line: Omit<TranscriptLine, 'at'>): void {
    const { step } = this;
    const { at } = step;
    this.transcript.add({ ...line, at });
    step.transcript.push({ ...line, at });
  }

  /** Adds a line about the instance itself. */
  addSystemLine(text: string): void {
    this.addLine({ id: `${this.id}/system-${this.transcript.length}`, role: 'system', text });
  }

  /** Adds a line of the contact, whose id is recognised from now on. */
  addMessage(line: Omit<TranscriptLine, 'at' | 'role'>): void {
    this.patch({ received: this.receivedCount + 1 });
    this.addLine({ ...line, role: 'contact' });
    this.receivedIds.add(line.id);
  }

  patch(fields: Partial<InstanceState>): void {
    this.state = { ...this.state, ...fields };
  }

  /** Makes a refusal the answer of the step. */
  refuse({ code, because }: { readonly code: string; readonly because: string }): void {
    this.step.refusal = refusal(code, because, this.status);
  }
}

/** How many message ids the lifecycle recognises by itself. */
export const seenByLifecycle = 32;

/**
 * Recognises repeated messages. Their ids are in the transcript, and in memory when they are needed; the snapshot has only their
 * number.
 */
export class ReceivedIds {
  readonly #transcript: Transcript;
  readonly #ids = new Set<string>();
  #isLoaded: boolean;

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
    this.#isLoaded = transcript.length === 0;
  }

  add(id: string): void {
    this.#ids.add(id);
  }

  /** @param count how many messages the instance has received */
  async has(id: string, count: number): Promise<boolean> {
    if (!this.#isLoaded && count > seenByLifecycle) {
      for await (const lines of readLines(this.#transcript.read))
        for (const { id: received, role } of lines) if (role === 'contact') this.add(received);
      this.#isLoaded = true;
    }
    return this.#ids.has(id);
  }
}

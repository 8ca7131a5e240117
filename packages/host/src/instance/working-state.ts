import type { EventObject, PortInput, PortName, Usage } from '@dramaturg/compiler';
import type { Attention, StoreRecord } from '../store/contract.ts';
import { readLines } from '../store/pages.ts';
import type { Source, TranscriptLine } from './event.ts';
import { Outbox } from './outbox.ts';
import { refusal } from './refusal.ts';
import type { InstanceState, ParentRef, RemainingBudget } from './state.ts';
import type { StepRecord } from './step-record.ts';
import { type ReadLines, Transcript } from './transcript.ts';
import {
  costToCount,
  type PortEnding,
  sumOfCounted,
  usageIn,
  usageRecorded,
  usageSchema,
} from '@dramaturg/compiler/machine';
import {
  addCall,
  addUsage,
  type CallUsage,
  formatAmount,
  noUsage,
  tokensOf,
  type UsageTotal,
} from '../limits/index.ts';
import type { OpenCall } from '../xstate/open-call.ts';

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

/** Owns the consumption of an instance: by its own calls, by reports of agents, and by its children. */
class Spending {
  #used: UsageTotal | undefined;

  /** @param used the stored total; undefined before the first call has ended */
  constructor(used: UsageTotal | undefined) {
    this.#used = used;
  }

  get used(): UsageTotal {
    return this.#used ?? noUsage;
  }

  /** The fields to store. */
  get state(): { readonly used?: UsageTotal } {
    return this.#used ? { used: this.#used } : {};
  }

  /** The consumption of the instance, for its parent; undefined when it is zero. */
  get usage(): Usage | undefined {
    const { requests, inputTokens, outputTokens, cost, counted } = this.used;
    if (requests + inputTokens + outputTokens + cost === 0) return undefined;
    return { requests, inputTokens, outputTokens, cost, ...(counted && { counted }) };
  }

  /**
   * Counts a call that has ended.
   *
   * @param use the consumption of the call; undefined when a child has answered it. The ending then has the child's usage.
   * @returns the event that reports the usage; undefined when a child has reported it
   */
  count(
    { port, key, input }: OpenCall,
    ending: PortEnding,
    use?: CallUsage,
  ): EventObject | undefined {
    if (port === 'countSpending' && 'output' in ending) {
      const added = costToCount(input as unknown as PortInput<'countSpending'>);
      this.#used = { ...this.used, counted: sumOfCounted(this.used.counted, added) };
    }
    if (use) {
      this.#used = addCall(this.used, use);
      return use.usage && usageRecorded(port, key, use.usage);
    }
    const usage = usageIn(ending);
    if (usage) this.#used = addUsage(this.used, usage);
    return undefined;
  }

  /** Counts a call whose outcome no machine gets: it was made for a draft, or was aborted. */
  countApart(port: PortName, key: string, use: CallUsage): EventObject | undefined {
    this.#used = addCall(this.used, use);
    return use.usage && usageRecorded(port, key, use.usage);
  }

  /** Counts the reported consumption of an agent of a workflow. Tokens without a direction count as output tokens. */
  countReported({ tokens, inputTokens = 0, outputTokens = tokens, cost }: EventObject): void {
    const reported = usageSchema.safeParse({
      requests: 0,
      inputTokens: whole(inputTokens),
      outputTokens: whole(outputTokens),
      cost,
    });
    if (reported.success) this.#used = addUsage(this.used, reported.data);
  }

  /** The budget of a child: the budget of its call, but at most the rest of the parent's budget. */
  remainingFor(
    requested: RemainingBudget | undefined,
    parent: ParentRef | undefined,
  ): RemainingBudget | undefined {
    const own = parent?.remainingBudget;
    if (!own) return requested;
    const { used } = this;
    const { tokens: mostTokens = Infinity, cost: mostCost = Infinity } = own;
    const tokens = Math.min(
      requested?.tokens ?? Infinity,
      Math.max(0, mostTokens - tokensOf(used)),
    );
    const cost = Math.min(requested?.cost ?? Infinity, Math.max(0, mostCost - used.cost));
    return { ...(tokens < Infinity && { tokens }), ...(cost < Infinity && { cost }) };
  }

  /** Why a child may make no more calls on its parent's budget; undefined when it may. */
  exceeded({ instance, remainingBudget: budget = {} }: ParentRef): string | undefined {
    const because = (what: string, amount: number, most = Infinity) =>
      amount >= most
        ? `${JSON.stringify(instance)} had ${formatAmount(most)} ${what} of its budget left for this child, which has used ${formatAmount(amount)}.`
        : undefined;
    const { used } = this;
    return (
      because('tokens', tokensOf(used), budget.tokens) ??
      because('in money', used.cost, budget.cost)
    );
  }
}

/** Rounds tokens, because agents may report fractions. */
function whole(tokens: unknown): unknown {
  return typeof tokens === 'number' ? Math.round(tokens) : tokens;
}

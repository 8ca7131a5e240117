import type { EventObject, Json } from '@dramaturg/compiler';
import type { Answer } from '../instance/event.ts';
import type { LiveInstance } from '../instance/live-instance.ts';
import type { StepResult } from '../instance/step-result.ts';
import { StoreError } from '../store/errors.ts';
import { LetterCarrier } from './letter-carrier.ts';
import { MessageSender } from './message-sender.ts';
import { PortCalls } from './port-calls.ts';
import type { DecideStep, RunnerContext } from './runner-context.ts';
import type { RunnerServices } from './runner-services.ts';

/** What the queue of a contact has to know of an instance. */
export interface StoredStatus {
  readonly status: string;
  readonly ended: boolean;
  readonly holds: boolean;
}

export interface RunnerListeners {
  /** A step was stored and applied: there may be new timers, and the contact may be free. */
  readonly onCommit: (runner: Runner, result: StepResult) => void;
  /** The instance in memory may differ from the stored one: it has to be loaded again. */
  readonly onBroken: (runner: Runner, error: unknown) => void;
  readonly onIdle: (runner: Runner) => void;
}

type RunnerState =
  | { readonly type: 'running' }
  /** The host stops: stored steps are not applied any more. */
  | { readonly type: 'dropped' }
  /** A step failed: every later step fails with the same error. */
  | { readonly type: 'broken'; readonly error: Error };

/**
 * Owns one active instance: the queue of its steps, the revision of its record, and everything that runs for it.
 *
 * One event is handled at a time, in order of arrival (H3). Each step is decided, committed whole, and only then applied
 * (H2): calls are made, messages are sent, events are published. When any of this fails, the runner breaks, and the
 * instance is loaded again as it was stored.
 *
 * States: `running` → `dropped` or `broken`; a dropped runner can still break.
 */
export class Runner {
  readonly instance: LiveInstance;
  readonly #services: RunnerServices;
  readonly #listeners: RunnerListeners;
  readonly #calls: PortCalls;
  readonly #sender: MessageSender;
  readonly #carrier: LetterCarrier;
  #state: RunnerState = { type: 'running' };
  #revision: number;
  #stored: StoredStatus;
  #queue: Promise<unknown> = Promise.resolve();
  #queued = 0;

  constructor(
    instance: LiveInstance,
    revision: number,
    services: RunnerServices,
    listeners: RunnerListeners,
  ) {
    this.instance = instance;
    this.#revision = revision;
    this.#services = services;
    this.#listeners = listeners;
    this.#stored = statusOf(instance);
    const context: RunnerContext = {
      instance,
      services,
      isRunning: () => this.#state.type === 'running',
      step: (decide) => this.step(decide),
      betweenSteps: (work) => this.#inTurn(work),
      breakOff: (error) => this.#break(error),
      onRest: () => this.#restIfIdle(),
    };
    this.#calls = new PortCalls(context);
    this.#sender = new MessageSender(context);
    this.#carrier = new LetterCarrier(context);
  }

  /** As it is stored. The instance in memory may be a step ahead. */
  get stored(): StoredStatus {
    return this.#stored;
  }

  /** Whether nothing runs for the instance, so that it can be evicted from memory. */
  get isIdle(): boolean {
    const areIdle = this.#calls.isIdle && this.#sender.isIdle && this.#carrier.isIdle;
    return this.#queued === 0 && areIdle;
  }

  /** Settles when all queued steps are stored and published. Calls and deliveries may still run. */
  get settled(): Promise<unknown> {
    return this.#queue;
  }

  /** Makes the calls and sends the messages that the stored instance has open (H4). */
  start(): void {
    this.#apply();
  }

  /**
   * Queues an event for the instance. An event that arrives during a step is first stored in the mailbox.
   *
   * @returns the answer, once the effect of the event is stored (H1)
   */
  enqueue(event: EventObject): Promise<Answer> {
    if (this.#queued === 0) return this.step((instance) => instance.decideEvent(event));
    const { store } = this.#services;
    const { id } = this.instance;
    const letter = { id: `event:${crypto.randomUUID()}`, body: event as unknown as Json };
    const stored = store.enqueue({ id, letter }).then(() => letter.id, ignoreEnded);
    // The step below rejects with the same error.
    stored.catch(() => {});
    return this.step(async (instance) => {
      await stored;
      return instance.decideEvent(event);
    }, stored);
  }

  /** Queues an event that is in the stored mailbox. */
  enqueueStored(letter: string, event: EventObject): Promise<Answer> {
    return this.step((instance) => instance.decideEvent(event), Promise.resolve(letter));
  }

  /**
   * Queues a step: decides, commits and applies it.
   *
   * @param handled the letter in the mailbox that the step handles, if any
   */
  step(decide: DecideStep, handled?: Promise<string | undefined>): Promise<Answer> {
    return this.#inTurn(async () => {
      const result = await decide(this.instance);
      const letter = await handled;
      await this.#commit(result, letter);
      this.#services.publish(result.events);
      this.#apply();
      this.#listeners.onCommit(this, result);
      return result.answer;
    });
  }

  /** Stops everything that runs. The next runner of the instance goes on from the store. */
  drop(): void {
    if (this.#state.type === 'running') this.#state = { type: 'dropped' };
    this.#calls.abortAll();
  }

  async #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#queued += 1;
    const turn = this.#queue.then(async () => {
      if (this.#state.type === 'broken') throw this.#state.error;
      try {
        return await work();
      } catch (error) {
        this.#break(error);
        throw error;
      }
    });
    this.#queue = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      this.#queued -= 1;
      this.#restIfIdle();
    }
  }

  async #commit({ change }: StepResult, letter: string | undefined): Promise<void> {
    // A refused event and the outcome of a fenced-off call change nothing.
    if (change === undefined && letter === undefined) return;
    const { revision } = await this.#services.store.commit({
      ...change,
      id: this.instance.id,
      expectedRevision: this.#revision,
      ...(letter === undefined ? {} : { handled: [letter] }),
    });
    this.#revision = revision;
    this.#stored = statusOf(this.instance);
  }

  /** Does what was decided and stored. */
  #apply(): void {
    if (this.#state.type !== 'running') return;
    this.#calls.apply();
    this.#sender.apply();
    this.#carrier.apply();
  }

  #break(error: unknown): void {
    if (this.#state.type === 'broken') return;
    this.#state = {
      type: 'broken',
      error: error instanceof Error ? error : new Error(String(error)),
    };
    this.#calls.abortAll();
    this.#listeners.onBroken(this, error);
  }

  #restIfIdle(): void {
    if (this.isIdle && this.#state.type === 'running') this.#listeners.onIdle(this);
  }
}

function statusOf({ status, ended, state: { holds } }: LiveInstance): StoredStatus {
  return { status, ended, holds };
}

/** The instance ended before the event was stored. The step then answers that it has ended. */
function ignoreEnded(error: unknown): undefined {
  if (error instanceof StoreError && error.code === 'store/ended') return undefined;
  throw error;
}

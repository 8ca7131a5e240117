import {
  type EventObject,
  type Json,
  type Port,
  PortError,
  type PortName,
  type Ports,
} from '@dramaturg/compiler';
import { type Answer, type HostEvent, journalLine } from '../instance/event.ts';
import type { MessageRole } from '../instance/letter.ts';
import type { InstanceCall } from '../instance/instance-calls.ts';
import type { Decided, LiveInstance } from '../instance/live-instance.ts';
import { askWithin, type Limits, type Outcome, usesUp } from '../limits/index.ts';
import type { Store } from '../store/contract.ts';
import { StoreError } from '../store/errors.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { InstanceFamily } from './instance-family.ts';
import type { Deliveries } from './deliveries.ts';
import { spokenLines } from './spoken-lines.ts';

/** What the line of a contact has to know of an instance. */
export interface StoredPlace {
  readonly status: string;
  readonly ended: boolean;
  readonly holds: boolean;
}

/** A call that was made, until what came of it is decided. */
interface UnderWay {
  readonly controller: AbortController;
  readonly port: PortName;
}

/** What a runner needs of its host. */
export interface RunnerServices {
  readonly store: Store;
  readonly ports: Partial<Ports>;
  readonly limits: Limits;
  readonly deliveries: Deliveries;
  readonly checkpoints: Checkpoints;
  readonly family: InstanceFamily;
  readonly now: () => number;
  readonly publish: (events: readonly HostEvent[]) => void;
  /** A part of a reply that is being made, for showing only. */
  readonly onText: (instance: string, part: string, key: string) => void;
  /** Something was stored: there may be timers, and the contact may be free. */
  readonly onCommit: (runner: Runner, decided: Decided) => void;
  /** The instance in memory is not what is stored any more: it has to be taken up again from there. */
  readonly onBroken: (runner: Runner, error: unknown) => void;
  readonly onIdle: (runner: Runner) => void;
}

/**
 * Carries an instance: one event at a time, in order of arrival (H3). Each step is decided, stored whole, and only then
 * done (H2): calls are made, messages handed to the channel, listeners told. Whatever fails on the way, the instance in
 * memory is dropped and taken up again as it is stored.
 */
export class Runner {
  readonly instance: LiveInstance;
  readonly #services: RunnerServices;
  #revision: number;
  #stored: StoredPlace;
  #queue: Promise<unknown> = Promise.resolve();
  #queued = 0;
  readonly #calls = new Map<string, UnderWay>();
  #delivering: Promise<void> | undefined;
  /** Letters that stay in the outbox, because this host has not their channel. */
  readonly #kept = new Set<string>();
  #carrying: Promise<void> | undefined;
  #broken: { readonly error: Error } | undefined;
  #isDropped = false;

  constructor(instance: LiveInstance, revision: number, services: RunnerServices) {
    this.instance = instance;
    this.#revision = revision;
    this.#services = services;
    this.#stored = placeOf(instance);
  }

  /** Where the instance stands in the line of its contact, as it is stored; in memory it may be a step ahead. */
  get stored(): StoredPlace {
    return this.#stored;
  }

  /** Nothing is under way, so that it may be put away. */
  get isIdle(): boolean {
    const isQuiet = this.#delivering === undefined && this.#carrying === undefined;
    return this.#queued === 0 && this.#calls.size === 0 && isQuiet;
  }

  /** Everything that is decided has been stored and told. Calls and deliveries may still be under way. */
  get settled(): Promise<unknown> {
    return this.#queue;
  }

  /** Makes the calls and sends the messages that were under way when the instance was stored (H4). */
  resume(): void {
    this.#carryOut();
  }

  /**
   * Takes an event. One that comes while another is being handled is stored first, and handled in its turn.
   *
   * @returns what came of it, once that is stored (H1)
   */
  receive(event: EventObject): Promise<Answer> {
    if (this.#queued === 0) return this.step((instance) => instance.send(event));
    const { store } = this.#services;
    const { id } = this.instance;
    const letter = { id: `event:${crypto.randomUUID()}`, body: event as unknown as Json };
    const stored = store.enqueue({ id, letter }).then(() => letter.id, refusedAtTheEnd);
    // Whoever waits for the step hears of it; until then nobody does.
    stored.catch(() => {});
    return this.step(async (instance) => {
      await stored;
      return instance.send(event);
    }, stored);
  }

  /** Takes an event that is in the stored mailbox. */
  take(letter: string, event: EventObject): Promise<Answer> {
    return this.step((instance) => instance.send(event), Promise.resolve(letter));
  }

  /**
   * One step of the instance.
   *
   * @param handled the letter in the mailbox that the step handles, if it does
   */
  step(
    decide: (instance: LiveInstance) => Promise<Decided>,
    handled?: Promise<string | undefined>,
  ): Promise<Answer> {
    return this.#inTurn(async () => {
      const decided = await decide(this.instance);
      const letter = await handled;
      await this.#store(decided, letter);
      this.#services.publish(decided.events);
      this.#carryOut();
      this.#services.onCommit(this, decided);
      return decided.answer;
    });
  }

  /** Stops everything under way. What was stored is taken up again by whoever wakes the instance next. */
  drop(): void {
    this.#isDropped = true;
    for (const { controller } of this.#calls.values()) controller.abort();
    this.#calls.clear();
  }

  async #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#queued += 1;
    const turn = this.#queue.then(async () => {
      if (this.#broken) throw this.#broken.error;
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

  async #store({ change }: Decided, letter: string | undefined): Promise<void> {
    // An event that is refused changes nothing at all, and a call that was fenced off neither.
    if (change === undefined && letter === undefined) return;
    const { revision } = await this.#services.store.commit({
      ...change,
      id: this.instance.id,
      expectedRevision: this.#revision,
      ...(letter === undefined ? {} : { handled: [letter] }),
    });
    this.#revision = revision;
    this.#stored = placeOf(this.instance);
  }

  /** Does what is decided and stored. */
  #carryOut(): void {
    if (this.#isDropped) return;
    const wanted = this.instance.calls();
    for (const [letter, { controller }] of this.#calls) {
      if (wanted.has(letter)) continue;
      controller.abort();
      this.#calls.delete(letter);
    }
    for (const [letter, call] of wanted) if (!this.#calls.has(letter)) this.#make(call);
    if (this.#nextMessage()) this.#delivering ??= this.#deliver();
    if (this.instance.family.length > 0) this.#carrying ??= this.#carry();
  }

  #make({ letter, call }: InstanceCall): void {
    const controller = new AbortController();
    this.#calls.set(letter, { controller, port: call.port });
    const { ports, limits, store, onText } = this.#services;
    const port = (ports[call.port] ?? this.#own(call.port)) as Port<PortName>;
    const isCurrent = () => this.#calls.get(letter)?.controller === controller;
    const end = ({ ending, use }: Outcome) => {
      // The answer of a call that was given up is fenced off.
      if (!isCurrent()) return;
      this.step((instance) => {
        // Only now: a step before this one still finds the call open, and must not make it again.
        if (isCurrent()) this.#calls.delete(letter);
        return instance.settle(letter, ending, use);
      }).catch(() => {});
    };
    const asked = {
      signal: controller.signal,
      onText: (part: string) => {
        if (isCurrent()) onText(this.instance.id, part, call.key);
      },
      transcript: (last: number) => spokenLines(store, this.instance, last),
    };
    void askWithin(call.port, port, call.input, asked, {
      limits,
      used: this.instance.used,
      underWay: () => this.#underWay() - 1,
    }).then(end);
  }

  #underWay(): number {
    let count = 0;
    for (const { port } of this.#calls.values()) if (usesUp(port)) count += 1;
    return count;
  }

  /** A port that the host answers itself, where it was given none. */
  #own(name: PortName): Port<PortName> {
    if (name !== 'saveCheckpoint') return unprovided(name);
    const save: Port<'saveCheckpoint'> = (input, { signal }) =>
      this.#inTurn(async () => {
        // In its turn the instance is as it is stored, and rests where it asked.
        if (signal.aborted) return { kept: false };
        const { id, state, definition } = this.instance;
        await this.#services.checkpoints.save(id, input, definition, state);
        return { kept: true };
      });
    return save;
  }

  /**
   * Carries letters to instances above and below, in the order in which they were decided: several of one kind at a time,
   * so that a child is there before it is given up.
   */
  async #carry(): Promise<void> {
    await Promise.resolve();
    for (;;) {
      const letters = this.instance.family;
      const [first] = letters;
      if (!first || this.#isDropped) break;
      const other = letters.findIndex(({ body }) => body.kind !== first.body.kind);
      const some = letters.slice(0, Math.min(other < 0 ? mostCarried : other, mostCarried));
      try {
        await Promise.all(some.map(({ body }) => this.#services.family.carry(this, body)));
        if (this.#isDropped) break;
        await this.#inTurn(async () => {
          for (const { letter } of some) {
            await this.#services.store.acknowledge({ id: this.instance.id, letter });
            this.instance.acknowledged(letter);
          }
        });
      } catch (error) {
        // Whoever takes the instance up again goes on here.
        this.#break(error);
        break;
      }
    }
    this.#carrying = undefined;
    this.#restIfIdle();
  }

  /** Hands messages to the channel, one after another. */
  async #deliver(): Promise<void> {
    // Whoever decided the message goes on first.
    await Promise.resolve();
    for (;;) {
      const message = this.#nextMessage();
      if (!message || this.#isDropped) break;
      const { letter, body } = message;
      const { address, channel } = body.to ?? this.instance.state;
      const outcome = await this.#services.deliveries.deliver(
        { instance: this.instance.id, address, channel, body },
        () => !this.#isDropped && this.#nextMessage()?.letter === letter,
      );
      if (this.#isDropped) break;
      if (outcome.type === 'kept') this.#kept.add(letter);
      try {
        if (outcome.type === 'refused')
          await this.step((instance) => instance.notSent(letter, outcome.because));
        else if (outcome.type === 'sent') await this.#acknowledge(letter, body.role);
      } catch {
        // The instance is dropped; whoever takes it up again goes on here.
        break;
      }
    }
    this.#delivering = undefined;
    this.#restIfIdle();
  }

  #nextMessage(): LiveInstance['messages'][number] | undefined {
    return this.instance.messages.find(({ letter }) => !this.#kept.has(letter));
  }

  /** Stores the receipt: the channel is never called with the message again. */
  async #acknowledge(letter: string, role: MessageRole): Promise<void> {
    if (role === 'manual') {
      await this.step((instance) => instance.sent(letter));
      return;
    }
    await this.#inTurn(async () => {
      const { store, now, publish } = this.#services;
      const { id } = this.instance;
      const delivered: HostEvent = {
        instance: id,
        at: now(),
        source: 'host',
        event: { type: 'message.delivered', id: letter.slice('message:'.length), role },
      };
      await store.acknowledge({ id, letter, journal: [journalLine(delivered)] });
      this.instance.acknowledged(letter);
      publish([delivered]);
    });
  }

  #break(error: unknown): void {
    if (this.#broken) return;
    this.#broken = { error: error instanceof Error ? error : new Error(String(error)) };
    this.drop();
    this.#services.onBroken(this, error);
  }

  #restIfIdle(): void {
    if (this.isIdle && !this.#isDropped) this.#services.onIdle(this);
  }
}

/** Letters to instances above and below that are carried at a time. */
const mostCarried = 16;

function placeOf({ status, ended, state: { holds } }: LiveInstance): StoredPlace {
  return { status, ended, holds };
}

/** The instance ended while the event was on its way: nothing was stored, and the instance says so. */
function refusedAtTheEnd(error: unknown): undefined {
  if (error instanceof StoreError && error.code === 'store/ended') return undefined;
  throw error;
}

function unprovided(name: PortName): Port<PortName> {
  return () => {
    throw new PortError(
      'port/not-provided',
      name,
      `The port "${name}" is asked, and none is provided. Pass one to the host: createHost({ ports: { ${name}: ... } }).`,
    );
  };
}

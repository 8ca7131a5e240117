import { compile, providePorts } from '@dramaturg/compiler';
import { type AnyActor, createActor } from 'xstate';
import {
  conversationLifecycle,
  type EventRefused,
  lifecycle,
  type LifecycleContext,
  type LifecycleDefinition,
  type LifecycleEmitted,
  type LifecycleEvent,
  type LifecycleInput,
  type LifecycleOutput,
} from '../src/index.ts';
import { Clock, settled } from './clock.ts';

type TurnStarted = Extract<LifecycleEmitted, { type: 'turn.started' }>;

/** A line of a conversation’s log. */
interface Line {
  readonly role: 'agent' | 'contact' | 'manual';
  readonly id: string;
  readonly text: string;
}

/** The answer to a command. The numbers are the status codes of the specification. */
export interface Answer {
  readonly status: 200 | 201 | 409 | 503;
  readonly refusal?: EventRefused;
}

/** A conversation, with everything that a host stores of it. */
export class Instance {
  readonly name: string;
  readonly contact: string;
  readonly log: Line[] = [];
  readonly emitted: LifecycleEmitted[] = [];
  readonly #given = new Map<TurnStarted, readonly string[]>();
  actor: AnyActor;
  stored: unknown;

  constructor(name: string, contact: string, actor: AnyActor) {
    this.name = name;
    this.contact = contact;
    this.actor = actor;
  }

  get context(): LifecycleContext {
    return this.actor.getSnapshot().context as LifecycleContext;
  }

  get state(): string {
    return this.context.state;
  }

  get output(): LifecycleOutput | undefined {
    return this.actor.getSnapshot().output as LifecycleOutput | undefined;
  }

  /** The states in the order in which they were entered. */
  get way(): string[] {
    return this.events('state.entered').map(({ state }) => state);
  }

  events<Type extends LifecycleEmitted['type']>(
    type: Type,
  ): Extract<LifecycleEmitted, { type: Type }>[] {
    return this.emitted.filter((event) => event.type === type) as never;
  }

  /** The texts that a turn received: the last lines of the contact when it started. */
  textsOf(turn: TurnStarted): readonly string[] {
    return this.#given.get(turn)!;
  }

  /** Notes an emitted event. */
  note(emitted: LifecycleEmitted): void {
    this.emitted.push(emitted);
    if (emitted.type !== 'turn.started') return;
    const received = this.log.filter(({ role }) => role === 'contact');
    const texts = received.slice(received.length - emitted.messages).map(({ text }) => text);
    this.#given.set(emitted, texts);
  }
}

export interface OfficeOptions {
  readonly policies?: LifecycleDefinition['policies'];
  /** Persist, drop and restore an actor after each event, as after a crash. */
  readonly recovering?: boolean;
}

/**
 * A minimal host: actors, a log for each, a queue for each contact, and a channel that
 * takes every message once. Every step returns when nothing more happens.
 */
export class Office {
  readonly clock = new Clock();
  readonly instances = new Map<string, Instance>();
  /** What the channel has taken, in order. */
  readonly delivered: string[] = [];
  channelIsDown = false;
  readonly #taken = new Set<string>();
  readonly #recovering: boolean;
  readonly #machine;

  constructor({ policies = {}, recovering = false }: OfficeOptions = {}) {
    this.#recovering = recovering;
    const { heartbeat, ...rest } = policies;
    const definition: LifecycleDefinition = {
      ...conversationLifecycle,
      policies: {
        ...conversationLifecycle.policies,
        // Its timer would be among those of the heartbeat.
        fallbacks: { waiting_after_ms: 0 },
        ...rest,
        heartbeat: { ...conversationLifecycle.policies?.heartbeat, ...heartbeat },
      },
    };
    const { machine, diagnostics } = compile(JSON.stringify(definition), {
      formats: [lifecycle],
      link: { world: this.clock.world },
    });
    if (!machine) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
    this.#machine = providePorts(machine, { timer: this.clock.timer });
  }

  /** Creates an instance, which is queued when another holds its contact. */
  async create(name: string, contact = 'c', input: LifecycleInput = {}): Promise<Instance> {
    const line = this.#line(contact);
    const queued = line.some(({ context }) => context.holds_contact);
    const actor = createActor(this.#machine, { input: { instance: name, queued, ...input } });
    const { status, error } = actor.getSnapshot();
    if (status === 'error') throw error;
    const instance = new Instance(name, contact, actor);
    this.instances.set(name, instance);
    this.#listen(instance);
    actor.start();
    await this.#after(instance);
    return instance;
  }

  /** Sends an event to an instance. */
  async send(name: string, event: LifecycleEvent | { readonly type: string }): Promise<Answer> {
    const instance = this.instances.get(name)!;
    if (instance.output) return { status: 409, refusal: refusalAfterEnd(instance.output, event) };
    const before = instance.events('event.refused').length;
    instance.actor.send(event);
    const refusal = instance.events('event.refused')[before];
    await this.#after(instance);
    return refusal ? { status: 409, refusal } : { status: 200 };
  }

  /** Performs actions of the agent in the current turn. */
  agent(name: string, turn = this.instances.get(name)!.context.turn?.id ?? 'none') {
    const send = (event: LifecycleEvent) => this.send(name, event);
    return {
      turn,
      says: (text: string) => send({ type: 'agent.replied', turn, text }),
      ends: (reason: string) => send({ type: 'agent.ended', turn, reason }),
      flags: (reason: string) => send({ type: 'agent.flagged', turn, reason }),
      reschedules: (delay_ms: number) => send({ type: 'agent.rescheduled', turn, delay_ms }),
      marks: (todo_id: string) => send({ type: 'todo.marked', turn, todo_id, status: 'completed' }),
      finishes: () => send({ type: 'turn.ended', turn }),
      fails: (reason: string, recoverable = true) =>
        send({ type: 'turn.failed', turn, reason, recoverable }),
      /** A whole turn. */
      answers: async (text: string) => {
        await send({ type: 'agent.replied', turn, text });
        return send({ type: 'turn.ended', turn });
      },
    };
  }

  /** Sends a message of a contact to the instance that holds it, if there is one. */
  async receive(
    contact: string,
    text: string,
    id = `${text} from ${contact}`,
  ): Promise<string | null> {
    const holder = this.#line(contact).find(({ context }) => context.holds_contact);
    if (!holder) return null;
    await this.send(holder.name, { type: 'message.received', id, text });
    return holder.name;
  }

  /** Sends a manual message: requests it, delivers it, and then notifies the instance. */
  async relaySend(name: string, text: string): Promise<Answer> {
    const instance = this.instances.get(name)!;
    const before = instance.events('message.send.requested').length;
    const answer = await this.send(name, { type: 'intervene', text });
    const requested = instance.events('message.send.requested')[before];
    if (answer.status !== 200 || !requested) return answer;
    if (this.channelIsDown) return { status: 503 };
    this.#deliver(requested.id, text);
    return this.send(name, { type: 'manual_send', id: requested.id, text });
  }

  /** Stops everything. Stored data is kept. */
  stop(): void {
    for (const instance of this.instances.values()) {
      if (instance.output) continue;
      instance.stored = stored(instance.actor);
      instance.actor.stop();
    }
  }

  /** Restarts; each instance receives the time of the stop. */
  async start(stopped_at: number): Promise<void> {
    for (const instance of this.instances.values()) {
      if (instance.output) continue;
      this.#restore(instance, instance.stored);
      const event: LifecycleEvent = { type: 'instance.recovered', stopped_at };
      instance.actor.send(event);
      await this.#after(instance);
    }
    for (const { contact } of this.instances.values()) await this.#callNext(contact);
  }

  /** Stops, lets time pass, and starts again. */
  async crash(downtime = 0): Promise<void> {
    const stopped_at = this.clock.now;
    this.stop();
    this.clock.passUnnoticed(downtime);
    await this.start(stopped_at);
  }

  #line(contact: string): Instance[] {
    return [...this.instances.values()].filter((instance) => instance.contact === contact);
  }

  #listen(instance: Instance): void {
    instance.actor.on('*', (event) => {
      const emitted = event as LifecycleEmitted;
      instance.note(emitted);
      if (emitted.type === 'message.recorded') {
        const { role, id, text = '' } = emitted;
        instance.log.push({ role, id, text });
      }
      if (emitted.type === 'message.send.requested' && emitted.role === 'agent') {
        const { id, text = '' } = emitted;
        if (this.#deliver(id, text)) instance.log.push({ role: 'agent', id, text });
      }
    });
  }

  /** The channel takes a message once. */
  #deliver(id: string, text: string): boolean {
    if (this.#taken.has(id)) return false;
    this.#taken.add(id);
    this.delivered.push(text);
    return true;
  }

  async #after(instance: Instance): Promise<void> {
    await settled();
    if (this.#recovering && !instance.output) {
      const snapshot = stored(instance.actor);
      instance.actor.stop();
      this.#restore(instance, snapshot);
      await settled();
    }
    await this.#callNext(instance.contact);
  }

  async #callNext(contact: string): Promise<void> {
    const line = this.#line(contact);
    const place = nextInQueue(line.map(({ context }) => context));
    if (place === undefined) return;
    await this.send(line[place]!.name, { type: 'prior_instance_terminal' });
  }

  #restore(instance: Instance, snapshot: unknown): void {
    instance.actor = createActor(this.#machine, { snapshot: snapshot as never });
    this.#listen(instance);
    instance.actor.start();
  }
}

function stored(actor: AnyActor): unknown {
  return JSON.parse(JSON.stringify(actor.getPersistedSnapshot()));
}

/**
 * Finds the instance to start next: the first that waits in `queue`, once none holds the contact. An
 * instance that was paused while it waited keeps its place but is skipped.
 *
 * @param line the instances in the order in which they were created; ended ones may be included
 * @param queue the state in which instances wait for their contact
 * @returns the index in `line`, or undefined when no instance is to start
 */
function nextInQueue(
  line: readonly Pick<LifecycleContext, 'state' | 'holds_contact'>[],
  queue = 'QUEUED',
): number | undefined {
  if (line.some(({ holds_contact }) => holds_contact)) return undefined;
  const place = line.findIndex(({ state }) => state === queue);
  return place < 0 ? undefined : place;
}

/**
 * The answer of an ended instance to any event. A host gives it, because the actor is done.
 */
function refusalAfterEnd({ state }: LifecycleOutput, event: { type: string }): EventRefused {
  return {
    type: 'event.refused',
    event: event.type,
    state,
    code: 'instance/ended',
    because: `The instance has ended in "${state}", and nothing can happen to it any more.`,
    accepts: [],
  };
}

import { setImmediate } from 'node:timers/promises';
import {
  compile,
  type EventObject,
  type JsonObject,
  type Port,
  type PortInput,
  type PortOutput,
  providePorts,
} from '@dramaturg/compiler';
import { type AnyActor, createActor } from 'xstate';
import { plan, type PlanContext, type PlanEmitted, type PlanOptions } from '../src/index.ts';
import { word } from './words.ts';

/**
 * A conversation in the notation of the specification: `set k=v`, `complete t`, `skip t`, `skip_state` and
 * `turn` (a message without values). Ports answer at once; every step returns when the actor waits again.
 */
export class Conversation {
  readonly #actor: AnyActor;
  readonly #events: PlanEmitted[] = [];
  /** Everything that was emitted. */
  readonly emitted: PlanEmitted[] = [];
  #extraction: JsonObject = {};
  #replies: PortOutput<'reply'>[] = [];
  /** What `validate` was asked. */
  readonly checked: PortInput<'validate'>[] = [];
  /** Answers `validate`. */
  rule: Port<'validate'> = () => ({ ok: true });
  /** What agents were asked, and their answer. */
  readonly called: PortInput<'runAgent'>[] = [];
  agent: Port<'runAgent'> = ({ input }) => ({ result: input });
  /** The last input of each port. */
  readonly asked: { reply: PortInput<'reply'>; extract: PortInput<'extract'> } = {} as never;

  private constructor(definition: object, options: Partial<PlanOptions>, input: JsonObject) {
    const text = JSON.stringify(definition);
    const { machine, diagnostics } = compile(text, {
      formats: [plan],
      format: 'plan',
      options: { ...options } as JsonObject,
    });
    if (!machine)
      throw new Error(diagnostics.map(({ code, message }) => `${code}: ${message}`).join('\n'));
    const provided = providePorts(machine, {
      reply: (asked) => {
        this.asked.reply = asked;
        return this.#replies.shift() ?? { text: 'Go on.' };
      },
      extract: (asked) => {
        this.asked.extract = asked;
        return { value: this.#extraction };
      },
      validate: (asked, call) => {
        this.checked.push(asked);
        return this.rule(asked, call);
      },
      runAgent: (asked, call) => {
        this.called.push(asked);
        return this.agent(asked, call);
      },
    });
    this.#actor = createActor(provided, { input });
    this.#actor.on('*', (event) => {
      this.#events.push(event as PlanEmitted);
      this.emitted.push(event as PlanEmitted);
    });
  }

  static async start(
    definition: object,
    options: Partial<PlanOptions> = {},
    input: JsonObject = {},
    agent?: Port<'runAgent'>,
  ): Promise<Conversation> {
    const conversation = new Conversation(definition, options, input);
    if (agent) conversation.agent = agent;
    const { status, error } = conversation.#actor.getSnapshot();
    if (status === 'error') throw error as Error;
    conversation.#actor.start();
    await conversation.#settled();
    return conversation;
  }

  async set(deliverables: JsonObject, more: JsonObject = {}): Promise<this> {
    return this.#send({ type: 'plan.update', deliverables, ...more });
  }

  async complete(...complete: string[]): Promise<this> {
    return this.#send({ type: 'plan.update', complete });
  }

  async skip(...skip: string[]): Promise<this> {
    return this.#send({ type: 'plan.update', skip });
  }

  async skipState(): Promise<this> {
    return this.#send({ type: 'plan.update', skipState: true });
  }

  /** Sends a message, and sets what is extracted from it. */
  async turn(extraction: JsonObject = {}, text = 'hm'): Promise<this> {
    this.#extraction = extraction;
    return this.#send({ type: 'message.received', text });
  }

  /** Sends a message, and sets an answer of `extract` in any shape. */
  async turnWith(value: unknown): Promise<this> {
    return this.turn(value as JsonObject);
  }

  /** Sends any event. */
  async send(event: EventObject): Promise<this> {
    return this.#send(event);
  }

  /** Sets the next replies. */
  replies(...replies: PortOutput<'reply'>[]): void {
    this.#replies = replies;
  }

  /** Sends messages without waiting in between. */
  async together(...texts: string[]): Promise<this> {
    for (const text of texts) this.#actor.send({ type: 'message.received', text } as EventObject);
    await this.#settled();
    return this;
  }

  async turns(count: number): Promise<this> {
    for (let index = 0; index < count; index += 1) await this.turn();
    return this;
  }

  get context(): PlanContext {
    return this.#actor.getSnapshot().context as PlanContext;
  }

  /** Id of the current state, or `__end__`. */
  get state(): string {
    return this.context.state;
  }

  get value(): unknown {
    return this.#actor.getSnapshot().value;
  }

  get isWaiting(): boolean {
    return this.#actor.getSnapshot().hasTag('waiting');
  }

  get isOver(): boolean {
    return this.#actor.getSnapshot().status === 'done';
  }

  deliverable(key: string): unknown {
    return this.context.deliverables[key]?.value;
  }

  /** The status of each task of a state. */
  tasks(state: string): Readonly<Record<string, string>> {
    return this.context.tasks[state] ?? {};
  }

  /** The lines of the events since the last call. */
  news(): string[] {
    return this.#events.splice(0).flatMap((event) => word(event) ?? []);
  }

  async #send(event: EventObject): Promise<this> {
    this.#actor.send(event);
    await this.#settled();
    return this;
  }

  async #settled(): Promise<void> {
    for (let round = 0; round < 6; round += 1) await Promise.resolve();
    await setImmediate();
    await setImmediate();
  }
}

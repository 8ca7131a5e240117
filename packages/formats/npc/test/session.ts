import { setImmediate } from 'node:timers/promises';
import {
  compile,
  type JsonObject,
  type PortInput,
  providePorts,
  type ToolCall,
} from '@dramaturg/compiler';
import { type AnyActor, createActor } from 'xstate';
import {
  npc,
  type NpcContext,
  type NpcEmitted,
  type NpcInput,
  type VerdictReached,
} from '../src/index.ts';

/** The next answer of a scripted evaluator: an option, an answer of another shape, or an error to throw. */
export type Answer = string | Error | { readonly answer: unknown };

/**
 * A session in the notation of the specification: a scripted evaluator gives one verdict after another.
 * Every step returns when the actor waits again.
 */
export class Session {
  actor: AnyActor;
  readonly #spawn: (snapshot?: unknown) => AnyActor;
  /** Everything that was emitted and asked, in order. */
  readonly log: (NpcEmitted | { readonly type: 'asked'; readonly port: string })[] = [];
  readonly evaluations: PortInput<'choose'>[] = [];
  readonly replies: PortInput<'reply'>[] = [];
  readonly #answers: Answer[] = [];
  readonly #calls: ToolCall[] = [];
  /** Port calls that are held back until `release`; see `hold`. */
  #held: (() => void)[] | undefined;

  #failing: string | undefined;

  private constructor(
    definition: object,
    input: NpcInput,
    extraction: JsonObject,
    options: JsonObject,
  ) {
    const { machine, diagnostics } = compile(JSON.stringify(definition), {
      formats: [npc],
      format: 'npc',
      options,
    });
    if (!machine)
      throw new Error(diagnostics.map(({ code, message }) => `${code}: ${message}`).join('\n'));
    const provided = providePorts(machine, {
      reply: async (call) => {
        this.replies.push(call);
        this.log.push({ type: 'asked', port: 'reply' });
        await this.#gate();
        this.#requireWorking('reply');
        const toolCalls = this.#calls.splice(0);
        return { text: `Line ${this.replies.length}.`, toolCalls };
      },
      choose: async (call) => {
        this.evaluations.push(call);
        this.log.push({ type: 'asked', port: 'choose' });
        await this.#gate();
        return this.#next();
      },
      extract: () => {
        this.#requireWorking('extract');
        return { value: extraction };
      },
      think: () => {
        this.#requireWorking('think');
        return { text: 'So far.' };
      },
    });
    this.#spawn = (snapshot) => {
      const actor = createActor(provided, {
        input,
        ...(snapshot === undefined ? {} : { snapshot: snapshot as never }),
      });
      actor.on('*', (event) => this.log.push(event as NpcEmitted));
      return actor;
    };
    this.actor = this.#spawn();
  }

  static async start(
    definition: object,
    input: NpcInput = {},
    extraction: JsonObject = {},
    options: JsonObject = {},
  ): Promise<Session> {
    const session = new Session(definition, input, extraction, options);
    if (session.actor.getSnapshot().status === 'error') throw session.actor.getSnapshot().error;
    session.actor.start();
    await session.settled();
    return session;
  }

  /** Sends one message for each verdict. A list has the answers of the evaluator to a single message, in order. */
  async judge(...verdicts: (Answer | readonly Answer[])[]): Promise<this> {
    for (const verdict of verdicts) await this.say('Hm.', ...[verdict].flat());
    return this;
  }

  async say(text: unknown, ...answers: Answer[]): Promise<this> {
    this.#answers.push(...answers);
    return this.send({ type: 'message.received', text });
  }

  /** Sets the tools that the next reply calls. */
  calls(...calls: ToolCall[]): void {
    this.#calls.push(...calls);
  }

  async send(event: { type: string; [field: string]: unknown }): Promise<this> {
    this.actor.send(event);
    await this.settled();
    return this;
  }

  /** Persists, drops and restores the actor, as after a crash. */
  async recover(): Promise<this> {
    const stored = JSON.parse(JSON.stringify(this.actor.getPersistedSnapshot())) as unknown;
    this.actor.stop();
    this.actor = this.#spawn(stored).start();
    await this.settled();
    return this;
  }

  /** Makes the next call of a port fail. */
  failNext(port: string): void {
    this.#failing = port;
  }

  /** Holds port calls back until `release`. */
  hold(...answers: Answer[]): void {
    this.#held = [];
    this.#answers.push(...answers);
  }

  /** Lets the waiting port calls continue. */
  async release(): Promise<this> {
    const held = this.#held ?? [];
    this.#held = held.length > 0 ? [] : undefined;
    for (const go of held) go();
    await this.settled();
    return this;
  }

  get context(): NpcContext {
    return this.actor.getSnapshot().context as NpcContext;
  }

  get isOver(): boolean {
    return this.actor.getSnapshot().status === 'done';
  }

  /** The state of the session, in the fields that the cases compare. */
  get stand() {
    const { state, score, outcome } = this.context;
    return { state, score, outcome };
  }

  /** The events of the last verdict. */
  get verdict(): VerdictReached {
    return this.events('verdict.reached').at(-1)!;
  }

  get emitted(): NpcEmitted[] {
    return this.log.filter((entry) => entry.type !== 'asked');
  }

  events<Type extends NpcEmitted['type']>(type: Type): Extract<NpcEmitted, { type: Type }>[] {
    return this.emitted.filter((event) => event.type === type) as never;
  }

  /** The instruction for the last line. */
  get direction(): string | undefined {
    return this.replies.at(-1)?.directions[0]?.text;
  }

  async settled(): Promise<void> {
    for (let round = 0; round < 4; round += 1) await setImmediate();
  }

  #requireWorking(port: string): void {
    if (this.#failing !== port) return;
    this.#failing = undefined;
    throw new Error('out of order');
  }

  #gate(): Promise<void> | undefined {
    return this.#held && new Promise((go) => this.#held!.push(go));
  }

  #next(): { option: string } {
    const answer = this.#answers.shift() ?? new Error('The script of the evaluator is over.');
    if (answer instanceof Error) throw answer;
    return (typeof answer === 'string' ? { option: answer } : answer.answer) as { option: string };
  }
}

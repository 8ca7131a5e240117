import {
  type AgentEnding,
  type EventObject,
  isRecord,
  type Json,
  type JsonObject,
} from '@dramaturg/compiler';
import type { Edition } from '../definitions/library.ts';
import { MachineActor } from '../xstate/machine-actor.ts';
import type { OpenCall } from '../xstate/open-call.ts';
import { forLifecycle } from './agent-tools.ts';
import { followUpCall } from './follow-up.ts';
import { reasonOf, textOf } from './read.ts';
import type { InstanceState, Message, Turn } from './state.ts';

/** What of an instance a turn reads and changes. */
export type TurnState = Pick<InstanceState, 'turn' | 'inbox' | 'fed' | 'asked'>;

export interface PerformanceOptions {
  /** The id of the instance. */
  readonly id: string;
  readonly edition: Edition;
  /** What the flow begins with. */
  readonly input: JsonObject;
  /** Hears what the flow emits. */
  readonly hear: (event: EventObject) => void;
  /** Tells the lifecycle. */
  readonly tell: (event: EventObject) => void;
}

/** Told to the lifecycle when it is the contact who has the first word. */
const opens = { awaits: 'contact' };

/**
 * The conversation or workflow of an instance, and its turns: what the lifecycle calls a turn is begun here, fed with the
 * messages that it is for, and reported as over. Between turns the flow stands still.
 */
export class Performance {
  readonly #options: PerformanceOptions;
  #state: TurnState;
  #flow: MachineActor | undefined;
  /** What the flow has said of a turn that failed. */
  #failure: EventObject | undefined;

  constructor(
    options: PerformanceOptions,
    { turn, inbox, fed, asked }: TurnState,
    flow: Json | undefined,
  ) {
    this.#options = options;
    this.#state = { turn, inbox, fed, ...(asked ? { asked } : {}) };
    const { machine } = options.edition;
    this.#flow = flow === undefined ? undefined : MachineActor.restore(machine, flow, options.hear);
  }

  /** The id of a flow is part of its keys, by whichever name its format knows it. */
  static inputFor(id: string, input: JsonObject): JsonObject {
    return { conversation: id, id, ...input };
  }

  get state(): TurnState {
    return this.#state;
  }

  /** What has to be stored of the flow. */
  snapshot(): Json | undefined {
    return this.#flow?.snapshot();
  }

  /** Resolves once the flow has gone as far as it can by itself; undefined when it has already. */
  settled(): Promise<void> | undefined {
    return this.#flow?.settled();
  }

  /** Calls of the flow while its turn runs; a reminder is a call of the host's own. */
  calls(): readonly { readonly source: 'flow' | 'host'; readonly call: OpenCall }[] {
    const { turn } = this.#state;
    if (!turn) return [];
    if (turn.followUp) return [{ source: 'host', call: this.#reminder(turn, turn.followUp) }];
    return Array.from(this.#flow?.calls.values() ?? [], (call) => ({ source: 'flow', call }));
  }

  /** A message of the contact, for a turn that comes. */
  receive(message: Message): void {
    this.#patch({ inbox: [...this.#state.inbox, message] });
  }

  /**
   * The lifecycle has started a turn.
   *
   * @param length how many lines the transcript has
   */
  start({ turn, kind, messages: given }: EventObject, length: number): void {
    const { id, edition, input, hear } = this.#options;
    const messages = given as readonly string[];
    const isReminder = kind === 'follow_up' && messages.length === 0;
    const followUp = isReminder ? followUpCall(id, String(turn), length) : null;
    this.#patch({ turn: { id: String(turn), kind: String(kind), messages, followUp } });
    if (followUp) return;
    this.#flow ??= MachineActor.begin(edition.machine, Performance.inputFor(id, input), hear);
    this.#feed(messages);
  }

  /** The turn is given up: what the flow has called it may call again in the next. */
  abort(): void {
    this.#patch({ turn: null });
  }

  /** The instance has ended. */
  end(): void {
    this.#patch({ turn: null, inbox: [], fed: [] });
  }

  /** The flow has said something. */
  take(event: EventObject): void {
    const { turn } = this.#state;
    if (!turn) return;
    if (event.type === 'message.sent') this.#reply(turn, textOf(event['text']), event['key']);
    if (event.type === 'turn.failed') this.#failure = event;
  }

  /** How the flow has ended as an agent; undefined when it has not. */
  ending(): AgentEnding | undefined {
    if (this.#flow?.status !== 'done') return undefined;
    const output = (this.#flow.output ?? null) as Json;
    return this.#options.edition.agent?.ending(output) ?? { result: output };
  }

  /** @returns whether the flow runs and could take it */
  send(event: EventObject): boolean {
    if (this.#flow?.status !== 'active') return false;
    this.#flow.send(event);
    return true;
  }

  /** The lifecycle hears what the agent wants of it before the flow goes on, which may end the turn. */
  answer(call: OpenCall, output: unknown): void {
    const { turn } = this.#state;
    if (call.port !== 'reply' || !turn) return call.answer(output);
    const { events, rest } = forLifecycle(output);
    for (const event of events) this.#options.tell({ ...event, turn: turn.id });
    call.answer(rest);
  }

  /** Tells the lifecycle when the turn is over. @returns whether it was */
  finish(): boolean {
    const { turn } = this.#state;
    const flow = this.#flow;
    if (!turn || turn.followUp || !flow) return false;
    // An open call of this step: it cannot have been answered yet.
    const asks = [...flow.calls.values()].some(({ port }) => port === 'reply');
    if (asks && !this.#state.asked) this.#patch({ asked: true });
    if (this.#failure) {
      const { code, message } = this.#failure;
      return this.#fail(turn, `${textOf(message)} (${textOf(code)})`, true);
    }
    if (flow.status === 'error') return this.#fail(turn, reasonOf(flow.error), false);
    if (flow.status === 'done') return this.#endFlow(turn, flow.output);
    if (!this.#options.edition.machine.converses || !flow.isWaiting) return false;
    return this.#close(turn);
  }

  /** One turn may take several messages; the flow is given them as one, so that it answers once. */
  #feed(messages: readonly string[]): void {
    const { fed, inbox } = this.#state;
    const fresh = inbox.filter(({ id }) => messages.includes(id) && !fed.includes(id));
    if (fresh.length === 0) return;
    const text = fresh.map((message) => message.text).join('\n');
    if (this.send({ type: 'message.received', text }))
      this.#patch({ fed: [...fed, ...fresh.map(({ id }) => id)] });
  }

  #reply(turn: Turn, text: string, key: unknown): void {
    // An agent that has nothing to say this time may say so with an empty text.
    if (text.trim() === '') return;
    const id = typeof key === 'string' ? { id: key } : {};
    this.#options.tell({ type: 'agent.replied', turn: turn.id, ...id, text });
  }

  #reminder(turn: Turn, input: NonNullable<Turn['followUp']>): OpenCall {
    const close = () => this.#patch({ turn: { ...turn, followUp: null } });
    return {
      key: input.key,
      port: 'reply',
      input: input as unknown as Json,
      answer: (output) => {
        close();
        this.#reply(turn, textOf((output as { text?: unknown }).text), input.key);
        this.#close(turn);
      },
      fail: (error) => {
        close();
        this.#fail(turn, reasonOf(error), true);
      },
    };
  }

  #endFlow(turn: Turn, output: unknown): boolean {
    const { status, outcome, error, cause } = isRecord(output) ? output : {};
    if (typeof status === 'string' && status !== 'succeeded') {
      const reason = [error ?? status, cause].filter((part) => typeof part === 'string').join(': ');
      return this.#fail(turn, reason, false);
    }
    const reason = textOf(outcome ?? status) || 'done';
    this.#options.tell({ type: 'agent.ended', turn: turn.id, reason });
    return this.#close(turn);
  }

  #close(turn: Turn): boolean {
    const inbox = this.#state.inbox.filter(({ id }) => !turn.messages.includes(id));
    this.#patch({ turn: null, fed: [], inbox });
    // A conversation that the contact is to begin rests without having asked the agent for words.
    const awaits = this.#state.asked || !this.#options.edition.machine.converses ? {} : opens;
    this.#options.tell({ type: 'turn.ended', turn: turn.id, ...awaits });
    return true;
  }

  /** Its messages go back into the lifecycle's inbox, and are given to the next turn as if they were new. */
  #fail(turn: Turn, reason: string, recoverable: boolean): boolean {
    this.#failure = undefined;
    this.#patch({ turn: null, fed: [] });
    this.#options.tell({ type: 'turn.failed', turn: turn.id, reason, recoverable });
    return true;
  }

  #patch(fields: Partial<TurnState>): void {
    this.#state = { ...this.#state, ...fields };
  }
}

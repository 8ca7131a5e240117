import {
  type AgentEnding,
  type EventObject,
  isRecord,
  type Json,
  type JsonObject,
  type PortInput,
} from '@dramaturg/compiler';
import type { LoadedDefinition } from '../definitions/library.ts';
import { MachineActor } from '../xstate/machine-actor.ts';
import type { OpenCall } from '../xstate/open-call.ts';
import type { AgentTools } from './agent-tools.ts';
import { followUpCall } from './follow-up.ts';
import { type Message, nextBatch, withDue } from './mailbox.ts';
import { reasonOf, textOf } from './read.ts';
import type { InstanceState, Turn } from './state.ts';

/** What of an instance a turn reads and changes. */
export type TurnState = Pick<InstanceState, 'turn' | 'inbox' | 'endings' | 'asked'>;

export interface PerformanceOptions {
  /** The id of the instance. */
  readonly id: string;
  readonly definition: LoadedDefinition;
  /** What the flow begins with. */
  readonly input: JsonObject;
  /** Hears what the flow emits. */
  readonly hear: (event: EventObject) => void;
  /** Tells the lifecycle. */
  readonly tell: (event: EventObject) => void;
  /** The tools by which the agent speaks to the lifecycle, as it is now. */
  readonly tools: () => AgentTools;
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
  /** Why the flow did not take a message. */
  #refused: string | undefined;

  constructor(
    options: PerformanceOptions,
    { turn, inbox, endings, asked }: TurnState,
    flow: Json | undefined,
  ) {
    this.#options = options;
    this.#state = { turn, inbox, endings, ...(asked ? { asked } : {}) };
    const { machine } = options.definition;
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
    return Array.from(this.#flow?.calls.values() ?? [], (call) => ({
      source: 'flow',
      call: this.#offering(call),
    }));
  }

  /** A message of the contact, for a turn that comes. */
  receive(message: Message): void {
    this.#patch({ inbox: [...this.#state.inbox, message] });
  }

  /**
   * The lifecycle has started a turn. A flow whose last turn failed makes the failed call again; a flow that has not begun
   * begins. Messages follow when the flow waits for them.
   *
   * @param length how many lines the transcript has
   */
  start({ turn, kind, messages: given }: EventObject, length: number): void {
    const { id, definition, input, hear } = this.#options;
    const messages = given as readonly string[];
    const isFailed = this.#flow?.isFailed === true;
    const isReminder = kind === 'follow_up' && messages.length === 0 && !isFailed;
    const followUp = isReminder ? followUpCall(id, String(turn), length) : null;
    this.#patch({
      turn: { id: String(turn), kind: String(kind), followUp },
      inbox: withDue(this.#state.inbox, messages),
    });
    if (followUp) return;
    if (isFailed) this.#flow!.send({ type: 'turn.retry' });
    this.#flow ??= MachineActor.begin(definition.machine, Performance.inputFor(id, input), hear);
  }

  /** The turn is given up: what the flow has called it may call again in the next. */
  abort(): void {
    this.#patch({ turn: null });
  }

  /** The instance has ended. */
  end(): void {
    this.#patch({ turn: null, inbox: [], endings: [] });
  }

  /** The flow has said something. */
  take(event: EventObject): void {
    const { turn } = this.#state;
    if (!turn) return;
    if (event.type === 'message.sent') this.#reply(turn, textOf(event['text']), event['key']);
    if (event.type === 'turn.failed') this.#failure = event;
    if (event.type === 'message.refused') this.#refused = textOf(event['because']);
  }

  /**
   * How the flow has ended as an agent; undefined when it has not.
   *
   * @param reason why the conversation has ended without the flow, which then leaves behind what it has so far
   */
  ending(reason?: string): AgentEnding | undefined {
    const flow = this.#flow;
    if (!flow) return undefined;
    const output = (flow.output ?? null) as Json;
    if (flow.status === 'done')
      return this.#options.definition.agent?.ending(output) ?? { result: output };
    if (reason === undefined) return undefined;
    return { result: isRecord(output) ? { ...output, reason } : output };
  }

  /** @returns whether the flow runs and could take it */
  send(event: EventObject): boolean {
    if (this.#flow?.status !== 'active') return false;
    this.#flow.send(event);
    return true;
  }

  /** The flow says what the agent has said; then the lifecycle hears what the agent wants of it. */
  answer(call: OpenCall, output: unknown): void {
    const { turn } = this.#state;
    const original = this.#flow?.calls.get(call.key);
    if (!turn || !original || !this.#speaks(original)) return call.answer(output);
    const rest = this.#want(turn, output, original.input as unknown as PortInput<'reply'>);
    call.answer(rest.output);
    rest.tell();
  }

  /** Tells the lifecycle when the turn is over. @returns whether anything has moved */
  finish(): boolean {
    const { turn, endings } = this.#state;
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
    if (flow.status === 'done')
      return endings.length > 0 ? this.#close(turn) : this.#endFlow(turn, flow.output);
    if (!this.#options.definition.machine.converses || !flow.isWaiting) return false;
    if (this.#refused !== undefined)
      return this.#fail(turn, `${this.#refused} (message/refused)`, true);
    const isOver = endings.some(({ type }) => type === 'agent.ended');
    return (!isOver && this.#feed(flow)) || this.#close(turn);
  }

  /** Gives the flow the next messages. @returns whether there are any */
  #feed(flow: MachineActor): boolean {
    const batch = nextBatch(this.#state.inbox);
    if (!batch) return false;
    this.#patch({ inbox: batch.rest });
    flow.send({ type: 'message.received', text: batch.text });
    return true;
  }

  /** The agent of a conversation speaks. */
  #speaks({ port }: OpenCall): boolean {
    return port === 'reply' && this.#options.definition.machine.converses;
  }

  #offering(call: OpenCall): OpenCall {
    if (!this.#speaks(call)) return call;
    const input = call.input as unknown as PortInput<'reply'>;
    return { ...call, input: this.#options.tools().offeredIn(input) as unknown as Json };
  }

  /**
   * What the agent wants of the lifecycle. What ends the turn is kept until the turn ends, because the lifecycle takes no
   * words of an agent that has ended the conversation or asked for a person.
   */
  #want(
    turn: Turn,
    output: unknown,
    input: PortInput<'reply'>,
  ): { readonly output: unknown; readonly tell: () => void } {
    const { events, endings, rest } = this.#options.tools().wantedIn(output, input);
    const known = this.#state.endings;
    const first = endings.filter(
      ({ type }, index) =>
        !known.some((ending) => ending.type === type) &&
        endings.findIndex((ending) => ending.type === type) === index,
    );
    if (first.length > 0) this.#patch({ endings: [...known, ...first] });
    return { output: rest, tell: () => this.#tell(turn, events) };
  }

  #tell(turn: Turn, events: readonly EventObject[]): void {
    for (const event of events) this.#options.tell({ ...event, turn: turn.id });
  }

  #reply(turn: Turn, text: string, key: unknown): void {
    // An agent that has nothing to say this time may say so with an empty text.
    if (text.trim() === '') return;
    const id = typeof key === 'string' ? { id: key } : {};
    this.#options.tell({ type: 'agent.replied', turn: turn.id, ...id, text });
  }

  #reminder(turn: Turn, asked: NonNullable<Turn['followUp']>): OpenCall {
    const close = () => this.#patch({ turn: { ...turn, followUp: null } });
    return {
      key: asked.key,
      port: 'reply',
      input: this.#options.tools().offeredIn(asked) as unknown as Json,
      answer: (output) => {
        close();
        const { output: rest, tell } = this.#want(turn, output, asked);
        this.#reply(turn, textOf((rest as { text?: unknown }).text), asked.key);
        tell();
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
    // A conversation that the contact is to begin rests without having asked the agent for words.
    const awaits = this.#state.asked || !this.#options.definition.machine.converses ? {} : opens;
    return this.#over(turn, { type: 'turn.ended', ...awaits });
  }

  /** The flow keeps the message of a turn that failed, and makes the failed call again in the next one. */
  #fail(turn: Turn, reason: string, recoverable: boolean): boolean {
    return this.#over(turn, { type: 'turn.failed', reason, recoverable });
  }

  #over(turn: Turn, event: EventObject): boolean {
    const { endings } = this.#state;
    this.#failure = undefined;
    this.#refused = undefined;
    this.#patch({ turn: null, endings: [] });
    if (event['recoverable'] !== false) this.#tell(turn, endings);
    this.#tell(turn, [event]);
    return true;
  }

  #patch(fields: Partial<TurnState>): void {
    this.#state = { ...this.#state, ...fields };
  }
}

import {
  type EventObject,
  isRecord,
  type Json,
  type JsonObject,
  type PortName,
} from '@dramaturg/compiler';
import { HostError } from '../errors.ts';
import type { Edition } from '../definitions/library.ts';
import type { Change, Letter, StoreRecord, Timer } from '../store/contract.ts';
import { MachineActor } from '../xstate/machine-actor.ts';
import type { OpenCall } from '../xstate/open-call.ts';
import { type Answer, type HostEvent, journalLine, type Source } from './event.ts';
import { forLifecycle } from './agent-tools.ts';
import { followUpCall } from './follow-up.ts';
import { callLetter, messageLetter, type OutboxLetter } from './letter.ts';
import type { InstanceState, Message, Turn } from './state.ts';
import { isOwnEvent } from './own-events.ts';
import { systemLine } from './system-line.ts';

/** What an instance has decided in one step. Nothing of it has been done: it is stored first (H2). */
export interface Decided {
  /** Undefined when nothing has changed, as after a refusal. */
  readonly change?: Omit<Change, 'id' | 'expectedRevision' | 'handled'>;
  readonly events: readonly HostEvent[];
  readonly answer: Answer;
}

export interface Editions {
  readonly life: Edition;
  /** Absent when the life is all there is. */
  readonly flow?: Edition;
}

/** What a host lends to its instances. */
export interface Surroundings {
  readonly now: () => number;
  /** Ports that the host answers itself, from a timer or a decision; all others are called. */
  readonly isWaitedFor: (port: PortName) => boolean;
}

/** A call that waits for its answer. */
export interface InstanceCall {
  readonly letter: string;
  readonly source: Source;
  readonly call: OpenCall;
}

type Heard = { readonly source: Source; readonly event: EventObject };

/**
 * An instance that is awake: its lifecycle, and the conversation or workflow that it performs, as running machines. A step
 * takes one event, hears what the machines emit, hands on between them what concerns the other, and ends when nothing moves
 * any more. Steps are functions: the same state and the same event decide the same.
 */
export class LiveInstance {
  readonly id: string;
  readonly contact: string | undefined;
  readonly #editions: Editions;
  readonly #surroundings: Surroundings;
  #state: InstanceState;
  #life!: MachineActor;
  #flow: MachineActor | undefined;
  /** What is in the stored outbox. */
  readonly #outbox: Map<string, OutboxLetter>;
  #status: string;
  #ended: boolean;
  #transcriptLength: number;

  // What the present step has come to.
  readonly #heard: Heard[] = [];
  #events: HostEvent[] = [];
  #transcript: Json[] = [];
  #letters: Letter[] = [];
  #settled: string[] = [];
  #refusal: Answer | undefined;
  /** The event that was sent: a refusal of another one, raised on the way, is not the answer. */
  #asked = '';
  #turnFailure: JsonObject | undefined;

  private constructor(
    { id, contact, status, ended, transcriptLength, outbox }: Awake,
    state: InstanceState,
    editions: Editions,
    surroundings: Surroundings,
  ) {
    this.id = id;
    this.contact = contact;
    this.#status = status;
    this.#ended = ended;
    this.#transcriptLength = transcriptLength;
    this.#outbox = new Map(outbox.map((letter) => [letter.id, letter.body as OutboxLetter]));
    this.#state = state;
    this.#editions = editions;
    this.#surroundings = surroundings;
  }

  /** @throws InputError */
  static async begin(
    birth: Birth,
    editions: Editions,
    surroundings: Surroundings,
  ): Promise<{ instance: LiveInstance; decided: Decided }> {
    const { id, contact, address, channel, queued, input, message, life: lifeInput } = birth;
    const record = { id, contact, status: 'new', ended: false, transcriptLength: 0, outbox: [] };
    const state: InstanceState = {
      life: { definition: editions.life.ref, snapshot: null },
      input,
      address,
      channel,
      holds: false,
      turn: null,
      inbox: [],
      fed: [],
    };
    const instance = new LiveInstance(record, state, editions, surroundings);
    // A flow that cannot begin with its input has to be refused now, and not when its turn comes.
    if (editions.flow) MachineActor.check(editions.flow.machine, { ...flowIds(id), ...input });
    const begun = () => {
      instance.#life = MachineActor.begin(
        editions.life.machine,
        { ...(editions.flow ? {} : input), ...lifeInput, instance: id, queued },
        instance.#hear('lifecycle'),
      );
      // It comes before the first turn can end, so that an agent that waits to be spoken to has been.
      if (message) instance.#life.send({ type: 'message.received', ...message });
    };
    return { instance, decided: await instance.#step(begun) };
  }

  /** As it was stored. Calls that were being made, and were not answered, are open again (H4). */
  static restore(
    record: StoreRecord,
    editions: Editions,
    surroundings: Surroundings,
  ): LiveInstance {
    const state = record.snapshot as unknown as InstanceState;
    const instance = new LiveInstance(record, state, editions, surroundings);
    const { life, flow } = editions;
    instance.#life = MachineActor.restore(
      life.machine,
      state.life.snapshot,
      instance.#hear('lifecycle'),
    );
    if (flow && state.flow !== undefined) {
      instance.#flow = MachineActor.restore(flow.machine, state.flow, instance.#hear('flow'));
    }
    return instance;
  }

  /** It has a conversation or a workflow, and is more than its lifecycle. */
  get performs(): boolean {
    return this.#editions.flow !== undefined;
  }

  get state(): InstanceState {
    return this.#state;
  }

  get status(): string {
    return this.#status;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Messages for the channel, in the order in which they were decided. */
  get messages(): readonly { readonly letter: string; readonly body: OutboxLetter }[] {
    return [...this.#outbox]
      .filter(([, { kind }]) => kind === 'message')
      .map(([letter, body]) => ({ letter, body }));
  }

  /** Calls that the host has to make; they are in the outbox. */
  calls(): ReadonlyMap<string, InstanceCall> {
    return this.#openCalls(({ port }) => !this.#surroundings.isWaitedFor(port));
  }

  /** Calls that wait for somebody or something: timers and decisions. */
  waits(): ReadonlyMap<string, InstanceCall> {
    return this.#openCalls(({ port }) => this.#surroundings.isWaitedFor(port));
  }

  /** An event from outside, or from the host. */
  send(event: EventObject): Promise<Decided> {
    if (this.#ended) return Promise.resolve(this.#nothing(this.#refusedByEnd(event)));
    return this.#step(() => {
      this.#asked = event.type;
      if (event.type === decisionMade) return this.#decide(event);
      if (this.#isForFlow(event)) return this.#sendToFlow(event);
      // Nothing that was decided and has not left goes out after a cancellation.
      if (event.type === 'cancel') for (const { letter } of this.messages) this.#settle(letter);
      this.#life.send(event);
    });
  }

  /** A call has come to its end. One that nobody waits for any more changes nothing: it was fenced off. */
  settle(
    letter: string,
    ending: { readonly output: unknown } | { readonly error: unknown },
  ): Promise<Decided> {
    const found = this.calls().get(letter) ?? this.waits().get(letter);
    if (!found) return Promise.resolve(this.#nothing());
    return this.#step(() => {
      if ('output' in ending) this.#answer(found, ending.output);
      else found.call.fail(ending.error);
    });
  }

  /** The channel has taken a message by hand: the lifecycle is told, and the letter is done with. */
  sent(letter: string): Promise<Decided> {
    const body = this.#outbox.get(letter);
    if (body?.kind !== 'message') return Promise.resolve(this.#nothing());
    return this.#step(() => {
      this.#settle(letter);
      this.#tell({ type: 'message.delivered', id: body.message, role: body.role });
      if (body.role === 'manual' && !this.#ended)
        this.#life.send({ type: 'manual_send', id: body.message, text: body.text });
    });
  }

  /** The channel has refused a message for good. */
  notSent(letter: string, because: string): Promise<Decided> {
    const body = this.#outbox.get(letter);
    if (body?.kind !== 'message') return Promise.resolve(this.#nothing());
    return this.#step(() => {
      this.#settle(letter);
      this.#tell({ type: 'message.rejected', id: body.message, role: body.role, because });
    });
  }

  /** The channel has taken a message of the agent, and the store has the receipt. */
  acknowledged(letter: string): void {
    this.#outbox.delete(letter);
  }

  async #step(begin: () => void): Promise<Decided> {
    begin();
    for (;;) {
      this.#drain();
      // Machines that run items go on by themselves for a while.
      const settling = this.#flow?.settled();
      if (!settling) break;
      const before = this.#events.length;
      await settling;
      if (this.#heard.length === 0 && this.#events.length === before) break;
    }
    if (this.#life.status === 'error') throw brokenLife(this.id, this.#life.error);
    return this.#decided();
  }

  /** Hears everything that was emitted, in order, and ends the turn when it is over. */
  #drain(): void {
    for (;;) {
      const heard = this.#heard.shift();
      if (heard) this.#take(heard);
      else if (!this.#endTurn()) return;
    }
  }

  #hear(source: Source): (event: EventObject) => void {
    return (event) => void this.#heard.push({ source, event });
  }

  #take({ source, event }: Heard): void {
    this.#events.push({ instance: this.id, at: this.#surroundings.now(), source, event });
    if (source === 'lifecycle') this.#takeFromLife(event);
    else if (source === 'flow') this.#takeFromFlow(event);
  }

  #tell(event: EventObject): void {
    this.#heard.push({ source: 'host', event });
  }

  #takeFromLife(event: EventObject): void {
    switch (event.type) {
      case 'state.entered':
        this.#status = String(event['state']);
        this.#patch({ holds: event['holds_contact'] === true });
        this.#log(systemLine(this.id, this.#length, event, this.#life.context));
        break;
      case 'message.recorded':
        this.#record(event);
        break;
      case 'message.send.requested':
        this.#request(event);
        break;
      case 'turn.started':
        this.#startTurn(event);
        break;
      case 'turn.aborted':
        this.#patch({ turn: null });
        break;
      case 'event.refused':
        if (event['event'] === this.#asked) this.#refusal = this.#refusalOf(event);
        break;
      case 'instance.ended':
        this.#ended = true;
        this.#patch({ turn: null, inbox: [], fed: [] });
        break;
    }
  }

  #takeFromFlow(event: EventObject): void {
    const { turn } = this.#state;
    if (!turn) return;
    if (event.type === 'message.sent') this.#reply(turn, String(event['text']), event['key']);
    if (event.type === 'turn.failed') this.#turnFailure = event as JsonObject;
  }

  #reply(turn: Turn, text: string, key: unknown): void {
    // An agent that has nothing to say this time may say so with an empty text.
    if (text.trim() === '') return;
    const id = typeof key === 'string' ? { id: key } : {};
    this.#life.send({ type: 'agent.replied', turn: turn.id, ...id, text });
  }

  #record({ id, role, text }: EventObject): void {
    const message: Message = { id: String(id), text: textOf(text) };
    this.#log({ ...message, role: role === 'manual' ? 'manual' : 'contact' });
    if (role === 'contact') this.#patch({ inbox: [...this.#state.inbox, message] });
  }

  #request({ id, role, text }: EventObject): void {
    const message = { id: String(id), text: textOf(text) };
    const body: OutboxLetter = {
      kind: 'message',
      message: message.id,
      role: role === 'manual' ? 'manual' : 'agent',
      text: message.text,
      at: this.#surroundings.now(),
    };
    const letter = messageLetter(message.id);
    // Asked for again, as after a crash: it is the same message.
    if (this.#outbox.has(letter)) return;
    this.#outbox.set(letter, body);
    this.#letters.push({ id: letter, body });
    if (body.role === 'agent') this.#log({ ...message, role: 'agent' });
  }

  #startTurn(event: EventObject): void {
    const { flow } = this.#editions;
    if (!flow) return;
    const id = String(event['turn']);
    const kind = String(event['kind']);
    const messages = event['messages'] as readonly string[];
    const isReminder = kind === 'follow_up' && messages.length === 0;
    const followUp = isReminder ? followUpCall(this.id, id, this.#length) : null;
    this.#patch({ turn: { id, kind, messages, followUp } });
    if (followUp) return;
    if (!this.#flow) {
      const input = { ...flowIds(this.id), ...this.#state.input };
      this.#flow = MachineActor.begin(flow.machine, input, this.#hear('flow'));
    }
    this.#feed(messages);
  }

  /** One turn may take several messages; the flow is given them as one, so that it answers once. */
  #feed(messages: readonly string[]): void {
    const { fed, inbox } = this.#state;
    const fresh = inbox.filter(({ id }) => messages.includes(id) && !fed.includes(id));
    if (fresh.length === 0 || this.#flow?.status !== 'active') return;
    this.#patch({ fed: [...fed, ...fresh.map(({ id }) => id)] });
    this.#flow.send({ type: 'message.received', text: fresh.map(({ text }) => text).join('\n') });
  }

  /** The lifecycle hears what the agent wants of it before the flow goes on, which may end the turn. */
  #answer({ source, call }: InstanceCall, output: unknown): void {
    const { turn } = this.#state;
    if (call.port !== 'reply' || source === 'lifecycle' || !turn) return call.answer(output);
    const { events, rest } = forLifecycle(output);
    for (const event of events) this.#life.send({ ...event, turn: turn.id });
    call.answer(rest);
  }

  /** Tells the lifecycle when the turn is over. @returns whether it was */
  #endTurn(): boolean {
    const { turn } = this.#state;
    const flow = this.#flow;
    if (!turn || turn.followUp) return false;
    if (this.#turnFailure) {
      const { code, message } = this.#turnFailure;
      return this.#failTurn(turn, `${textOf(message)} (${textOf(code)})`, true);
    }
    if (!flow) return false;
    if (flow.status === 'error') return this.#failTurn(turn, reasonOf(flow.error), false);
    if (flow.status === 'done') return this.#endFlow(turn, flow.output);
    if (!this.#editions.flow!.machine.converses || !flow.isWaiting) return false;
    return this.#closeTurn(turn);
  }

  #endFlow(turn: Turn, output: unknown): boolean {
    const fields = isRecord(output) ? output : {};
    const { status, outcome, error, cause } = fields;
    if (typeof status === 'string' && status !== 'succeeded') {
      const reason = [error ?? status, cause].filter((part) => typeof part === 'string').join(': ');
      return this.#failTurn(turn, reason, false);
    }
    const reason = textOf(outcome ?? status) || 'done';
    this.#life.send({ type: 'agent.ended', turn: turn.id, reason });
    return this.#closeTurn(turn);
  }

  #closeTurn(turn: Turn): boolean {
    const inbox = this.#state.inbox.filter(({ id }) => !turn.messages.includes(id));
    this.#patch({ turn: null, fed: [], inbox });
    this.#life.send({ type: 'turn.ended', turn: turn.id });
    return true;
  }

  /** Its messages go back into the lifecycle's inbox, and are given to the next turn as if they were new. */
  #failTurn(turn: Turn, reason: string, recoverable: boolean): boolean {
    this.#turnFailure = undefined;
    this.#patch({ turn: null, fed: [] });
    this.#life.send({ type: 'turn.failed', turn: turn.id, reason, recoverable });
    return true;
  }

  #openCalls(isMeant: (call: OpenCall) => boolean): Map<string, InstanceCall> {
    const found = new Map<string, InstanceCall>();
    const add = (source: Source, call: OpenCall) => {
      if (!isMeant(call)) return;
      const letter = callLetter(source, call.key);
      found.set(letter, { letter, source, call });
    };
    if (this.#ended) return found;
    for (const call of this.#life.calls.values()) add('lifecycle', call);
    const { turn } = this.#state;
    // Between turns a flow stands still: what it waits for comes when it is its turn again.
    if (!turn) return found;
    if (turn.followUp) add('host', this.#followUpCall(turn, turn.followUp));
    else for (const call of this.#flow?.calls.values() ?? []) add('flow', call);
    return found;
  }

  #followUpCall(turn: Turn, input: NonNullable<Turn['followUp']>): OpenCall {
    const close = () => this.#patch({ turn: { ...turn, followUp: null } });
    return {
      key: input.key,
      port: 'reply',
      input: input as unknown as Json,
      answer: (output) => {
        close();
        this.#reply(turn, textOf((output as { text?: unknown }).text), input.key);
        this.#closeTurn(turn);
      },
      fail: (error) => {
        close();
        this.#failTurn(turn, reasonOf(error), true);
      },
    };
  }

  #isForFlow({ type }: EventObject): boolean {
    const { life, flow } = this.#editions;
    return flow !== undefined && !life.machine.events.has(type) && flow.machine.events.has(type);
  }

  #sendToFlow(event: EventObject): void {
    if (this.#flow?.status === 'active') this.#flow.send(event);
    else this.#refusal = this.#refuse(`It is not running, so "${event.type}" changes nothing.`);
  }

  /** A person has decided: on the one question that is open, or on the one that is named. */
  #decide({ key, ...given }: EventObject): void {
    const { type: _type, ...output } = given;
    const open = [...this.waits().values()].filter(({ call }) => call.port === 'requestDecision');
    const meant = key === undefined ? open : open.filter(({ call }) => call.key === key);
    const [only] = meant;
    if (only && meant.length === 1) return only.call.answer(output);
    const keys = open.map(({ call }) => call.key).join(', ');
    this.#refusal = this.#refuse(
      open.length === 0
        ? 'Nothing waits for a decision.'
        : `${open.length} decisions are open. Name one of them by its "key": ${keys}.`,
    );
  }

  #patch(fields: Partial<InstanceState>): void {
    this.#state = { ...this.#state, ...fields };
  }

  get #length(): number {
    return this.#transcriptLength + this.#transcript.length;
  }

  #log(line: { readonly id: string; readonly role: string; readonly text: string }): void {
    this.#transcript.push({ ...line, at: this.#surroundings.now() });
  }

  #settle(letter: string): void {
    if (this.#outbox.delete(letter)) this.#settled.push(letter);
  }

  /** Everything that the step has come to, and a clean slate for the next. */
  #decided(): Decided {
    const isRefused = this.#refusal !== undefined && this.#events.every(isRefusal);
    const change = isRefused ? undefined : this.#change();
    const decided: Decided = {
      ...(change ? { change } : {}),
      events: this.#events,
      answer: this.#refusal ?? { accepted: true, state: this.#status },
    };
    this.#transcriptLength += this.#transcript.length;
    this.#events = [];
    this.#transcript = [];
    this.#letters = [];
    this.#settled = [];
    this.#refusal = undefined;
    this.#asked = '';
    return decided;
  }

  #change(): NonNullable<Decided['change']> {
    this.#updateCalls();
    this.#patch({
      life: { ...this.#state.life, snapshot: this.#life.snapshot() },
      ...(this.#flow ? { flow: this.#flow.snapshot() } : {}),
    });
    return {
      updatedAt: this.#surroundings.now(),
      status: this.#status,
      ended: this.#ended,
      snapshot: this.#state as unknown as Json,
      timers: this.#timers(),
      effects: this.#letters,
      settled: this.#settled,
      journal: this.#events.map(journalLine),
      transcript: this.#transcript,
    };
  }

  /** The outbox has the calls that are to be made, and no others. */
  #updateCalls(): void {
    const calls = this.calls();
    for (const [letter, { kind }] of this.#outbox)
      if (kind === 'call' && !calls.has(letter)) this.#settle(letter);
    for (const [letter, { call }] of calls) {
      if (this.#outbox.has(letter)) continue;
      const body: OutboxLetter = { kind: 'call', port: call.port };
      this.#outbox.set(letter, body);
      this.#letters.push({ id: letter, body });
    }
  }

  #timers(): Timer[] {
    return [...this.waits()]
      .filter(([, { call }]) => call.port === 'timer')
      .map(([key, { call }]) => ({ key, at: Number((call.input as JsonObject)['at']) }));
  }

  #nothing(answer: Answer = { accepted: true, state: this.#status }): Decided {
    return { events: [], answer };
  }

  /** What only a host may tell is of no use to whoever was refused. */
  #refusalOf({ event, because, accepts: all }: EventObject): Answer {
    const known = all as readonly string[];
    const accepts = this.performs ? known.filter((type) => !isOwnEvent(type)) : known;
    const isKnown = accepts.includes(String(event));
    const listed = accepts.join(', ') || 'nothing';
    return {
      accepted: false,
      state: this.#status,
      because: isKnown
        ? String(because)
        : `An instance in "${this.#status}" does not accept "${String(event)}". It accepts ${listed}.`,
      accepts,
    };
  }

  #refuse(because: string): Answer {
    return { accepted: false, state: this.#status, because, accepts: [] };
  }

  /** H7 */
  #refusedByEnd({ type }: EventObject): Answer {
    return this.#refuse(
      `The instance has ended in "${this.#status}" and accepts nothing, so "${type}" changes nothing.`,
    );
  }
}

/** A person's answer to a question of the port `requestDecision`. */
const decisionMade = 'decision.made';

/** What an instance begins with. */
export interface Birth {
  readonly id: string;
  readonly contact?: string;
  readonly address: string | null;
  readonly channel: string | null;
  /** Another instance holds the contact. */
  readonly queued: boolean;
  /** Of the flow. */
  readonly input: JsonObject;
  /** What the contact has written first. */
  readonly message?: { readonly text: string; readonly id?: string };
  /** More of the lifecycle's input: its heartbeat, a checklist. */
  readonly life: JsonObject;
}

type Awake = Pick<StoreRecord, 'id' | 'status' | 'ended' | 'transcriptLength' | 'outbox'> & {
  readonly contact?: string | undefined;
};

/** The id of a flow is part of its keys, by whichever name its format knows it. */
function flowIds(id: string): JsonObject {
  return { conversation: id, id };
}

function isRefusal({ event }: HostEvent): boolean {
  return event.type === 'event.refused';
}

function brokenLife(id: string, cause: unknown): HostError {
  const reason = reasonOf(cause);
  return new HostError('host/damaged', `The lifecycle of ${JSON.stringify(id)} broke: ${reason}`, {
    cause,
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

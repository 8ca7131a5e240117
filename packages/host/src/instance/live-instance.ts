import {
  type AgentEnding,
  type EventObject,
  type Json,
  type PortEnding,
  type PortInput,
} from '@dramaturg/compiler';
import type { LoadedDefinition } from '../definitions/library.ts';
import { HostError } from '../errors.ts';
import type { CallUse, Used } from '../limits/index.ts';
import { thrownBy } from '../recording/failure.ts';
import type { Change, DefinitionVersion, StoreRecord } from '../store/contract.ts';
import { MachineActor } from '../xstate/machine-actor.ts';
import type { OpenCall } from '../xstate/open-call.ts';
import { toolsFor } from './agent-tools.ts';
import { childChanges } from './children.ts';
import { decide, notOpen } from './deciding.ts';
import {
  type Answer,
  decisionMade,
  type HostEvent,
  priorInstanceTerminal,
  type Source,
  type TranscriptLine,
} from './event.ts';
import { requireTakenByFlow, requireTakenByLife } from './first-message.ts';
import { type Answerers, type InstanceCall, InstanceCalls } from './instance-calls.ts';
import { type MessageLetter, messageLetter, type OutboxLetter } from './letter.ts';
import { Outbox } from './outbox.ts';
import { Performance } from './performance.ts';
import { reasonOf, textOf } from './read.ts';
import { refusal, refusalAfterEnd, refusalOf, refusalOfRepeated } from './refusal.ts';
import { Spending } from './spending.ts';
import type { Birth, InstanceState, RemainingBudget, ParentRef } from './state.ts';
import { StepRecord } from './step-record.ts';
import type { Step, StepWorld } from './step-world.ts';
import { systemLine } from './system-line.ts';
import { portErrorOf, type Taken } from './taken.ts';

/** What an instance has decided in one step. Nothing of it has been done: it is stored first (H2). */
export interface Decided {
  /** Undefined when nothing has changed, as after a refusal. */
  readonly change?: Omit<Change, 'id' | 'expectedRevision' | 'handled'>;
  readonly events: readonly HostEvent[];
  readonly answer: Answer;
}

export interface LoadedDefinitions {
  readonly lifecycle: LoadedDefinition;
  /** Absent when the lifecycle is all there is. */
  readonly flow?: LoadedDefinition;
}

/** What a host lends to its instances. */
export interface Surroundings extends Answerers {
  /** The time and chance of every step; machines are linked with it. */
  readonly world: StepWorld;
  readonly hasChannel: (name: string) => boolean;
}

/** What an instance asks of one that runs as its agent. */
export interface Asked {
  readonly input: Json;
  /** What of a budget that may use up. */
  readonly left: RemainingBudget | undefined;
}

type Heard = { readonly source: Source; readonly event: EventObject };

type Standing = Pick<StoreRecord, 'id' | 'status' | 'ended' | 'transcriptLength' | 'outbox'> & {
  readonly contact?: string | undefined;
};

/**
 * An instance that is awake: its lifecycle, and the conversation or workflow that it performs, as running machines. A step
 * takes one event, hears what the machines emit, hands on between them what concerns the other, and ends when nothing moves
 * any more. Steps are functions: the same state and the same event decide the same.
 */
export class LiveInstance {
  readonly id: string;
  readonly contact: string | undefined;
  readonly #spending: Spending;
  readonly #surroundings: Surroundings;
  #state: InstanceState;
  readonly #lifecycle: MachineActor;
  readonly #performance: Performance | undefined;
  readonly #definitions: LoadedDefinitions;
  readonly #outbox: Outbox;
  readonly #calls: InstanceCalls;
  #status: string;
  #ended: boolean;
  #transcriptLength: number;

  /** The present step, or the last. */
  #now!: StepRecord;
  readonly #heard: Heard[] = [];

  private constructor(
    { id, contact, status, ended, transcriptLength, outbox }: Standing,
    state: InstanceState,
    definitions: LoadedDefinitions,
    surroundings: Surroundings,
    lifecycleOf: (hear: (event: EventObject) => void) => MachineActor,
  ) {
    this.id = id;
    this.contact = contact;
    this.#status = status;
    this.#ended = ended;
    this.#transcriptLength = transcriptLength;
    this.#outbox = new Outbox(outbox);
    this.#calls = new InstanceCalls(() => this.#openCalls(), surroundings);
    this.#state = state;
    this.#spending = new Spending(state.used);
    this.#definitions = definitions;
    this.#surroundings = surroundings;
    const hear = (source: Source) => (event: EventObject) =>
      void this.#heard.push({ source, event });
    this.#lifecycle = lifecycleOf(hear('lifecycle'));
    const { flow: definition } = definitions;
    const { input } = state;
    const tell = (event: EventObject) => this.#lifecycle.send(event);
    const { events } = definitions.lifecycle.machine;
    const tools = () => toolsFor({ events, context: this.#lifecycle.context });
    this.#performance =
      definition &&
      new Performance(
        { id, definition, input, hear: hear('flow'), tell, tools },
        state,
        state.flow,
      );
  }

  /** @throws InputError; HostError `host/message-refused` */
  static async begin(
    birth: Birth,
    definitions: LoadedDefinitions,
    surroundings: Surroundings,
  ): Promise<{ instance: LiveInstance; decided: Decided }> {
    const { id, contact, address, channel, queued, input, message, lifecycleInput } = birth;
    const { lifecycle, flow } = definitions;
    const { copy, parent, seenBefore } = birth;
    const { world } = surroundings;
    const step = world.step();
    const state: InstanceState = {
      ...(parent ? { parent } : {}),
      ...(seenBefore ? { seenBefore } : {}),
      ...(copy ? { flow: copy.flow, copyOf: copy.of } : {}),
      lifecycle: { definition: lifecycle.ref, snapshot: null },
      input,
      address,
      channel,
      holds: false,
      turn: null,
      inbox: [],
      endings: [],
    };
    // A flow that cannot begin with its input has to be refused now, and not when its turn comes.
    if (flow && !copy) {
      const begun = Performance.inputFor(id, input);
      MachineActor.check(flow.machine, begun);
      if (message) requireTakenByFlow(flow.machine, begun, message);
    }
    const instance = world.during(
      step,
      () =>
        new LiveInstance(
          { id, contact, status: 'new', ended: false, transcriptLength: 0, outbox: [] },
          state,
          definitions,
          surroundings,
          (hear) => {
            const given = { ...(flow ? {} : input), ...lifecycleInput, instance: id, queued };
            return MachineActor.begin(lifecycle.machine, given, hear);
          },
        ),
    );
    const decided = await instance.#take({ type: 'instance.started', birth }, step, () => {
      // It comes before the first turn can end, so that an agent that waits to be spoken to has been.
      if (message) instance.#lifecycle.send({ type: 'message.received', ...message });
    });
    requireTakenByLife(decided.events);
    return { instance, decided };
  }

  /** As it was stored. Calls that were being made, and were not answered, are open again (H4). */
  static restore(
    record: StoreRecord,
    definitions: LoadedDefinitions,
    surroundings: Surroundings,
  ): LiveInstance {
    const state = record.snapshot as unknown as InstanceState;
    return new LiveInstance(record, state, definitions, surroundings, (hear) =>
      MachineActor.restore(definitions.lifecycle.machine, state.lifecycle.snapshot, hear),
    );
  }

  /** It has a conversation or a workflow, and is more than its lifecycle. */
  get performs(): boolean {
    return this.#performance !== undefined;
  }

  /** What it runs. */
  get definition(): DefinitionVersion {
    const { lifecycle, flow } = this.#definitions;
    return (flow ?? lifecycle).ref;
  }

  get state(): InstanceState {
    return this.#state;
  }

  /** What has been used up so far. */
  get used(): Used {
    return this.#spending.used;
  }

  get status(): string {
    return this.#status;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Messages for the channel, in the order in which they were decided. */
  get messages(): Outbox['messages'] {
    return this.#outbox.messages;
  }

  /** Calls that the host has to make; they are in the outbox. */
  calls(): ReadonlyMap<string, InstanceCall> {
    return this.#calls.toMake();
  }

  /** Calls that wait for somebody or something: timers, decisions, and definitions that run as agents. */
  waits(): ReadonlyMap<string, InstanceCall> {
    return this.#calls.waits();
  }

  /** What has to be said to instances above and below. */
  get family(): Outbox['kin'] {
    return this.#outbox.kin;
  }

  /** What a call asks, for the instance that is to answer it; undefined when it is not open any more. */
  askedOf(letter: string): Asked | undefined {
    const { call } = this.waits().get(letter) ?? {};
    if (!call) return undefined;
    const { input, left } = call.input as PortInput<'runAgent'>;
    return { input, left: this.#spending.leftFor(left, this.#state.parent) };
  }

  /** An event from outside, or from the host. */
  async send(event: EventObject): Promise<Decided> {
    if (this.#isRepeated(event)) return this.#nothing(refusalOfRepeated(event, this.#status));
    if (this.#isWithoutText(event)) return this.#nothing(this.#refusal(withoutText));
    if (this.#ended) {
      const { type, id } = event;
      const isNamed = type === decisionMade && typeof id === 'string';
      return this.#nothing(
        isNamed ? this.#refusal(notOpen(id)) : refusalAfterEnd(event, this.#status),
      );
    }
    return this.#take({ type: 'event.taken', event }, await this.#nextStep(), () => {
      if (event.type === priorInstanceTerminal) this.#takeOver(event);
      if (event.type === decisionMade) {
        const problem = decide(this.#calls.questions(), event);
        if (problem) this.#now.refusal = this.#refusal(problem);
      } else if (this.#isForFlow(event)) this.#sendToFlow(event);
      else this.#lifecycle.send(event);
    });
  }

  /**
   * A call has come to its end. One that nobody waits for any more changes nothing: it was fenced off.
   *
   * @param use what it has used up, if that counts: stored in the same write, so that it counts once
   */
  async settle(letter: string, ending: PortEnding, use?: CallUse): Promise<Decided> {
    const found = this.#calls.get(letter);
    if (!found) return this.#nothing();
    const { source, call } = found;
    const step = await this.#nextStep();
    const used = use ? { use } : {};
    if ('error' in ending) {
      const error = portErrorOf(ending.error, call.port);
      const taken: Taken = { type: 'call.failed', call: letter, error: thrownBy(error), ...used };
      return this.#take(taken, step, () => {
        this.#count(call, { error }, use);
        call.fail(error);
      });
    }
    const { output } = ending;
    const taken: Taken = { type: 'call.answered', call: letter, output: output as Json, ...used };
    return this.#take(taken, step, () => {
      this.#count(call, ending, use);
      if (source === 'lifecycle') call.answer(output);
      else this.#performance!.answer(call, output);
    });
  }

  /** The channel has taken a message by hand: the lifecycle is told, and the letter is done with. */
  async sent(letter: string): Promise<Decided> {
    const body = this.#outbox.message(letter);
    if (!body) return this.#nothing();
    const { message: id, role, text } = body;
    return this.#take({ type: 'message.taken', letter }, await this.#nextStep(), () => {
      this.#outbox.settle(letter);
      this.#say({ type: 'message.delivered', id, role });
      if (role !== 'manual') return;
      // A lifecycle that has ended takes nothing more; that the contact has it is written down all the same.
      if (this.#ended) this.#log({ id, role, text });
      else this.#lifecycle.send({ type: 'manual_send', id, text });
    });
  }

  /** The channel has refused a message for good. */
  async notSent(letter: string, because: string): Promise<Decided> {
    const body = this.#outbox.message(letter);
    if (!body) return this.#nothing();
    const taken: Taken = { type: 'message.refused', letter, because };
    return this.#take(taken, await this.#nextStep(), () => this.#reject(letter, body, because));
  }

  /** The channel has taken a message of the agent, or a letter has been carried, and the store has the receipt. */
  acknowledged(letter: string): void {
    this.#outbox.forget(letter);
  }

  /** One that runs items goes on by itself within a step, and has the world to itself meanwhile. */
  async #nextStep(): Promise<Step> {
    const { world } = this.#surroundings;
    if (this.#definitions.flow?.machine.runsItems) await world.free();
    return world.step();
  }

  async #take(taken: Taken, step: Step, begin: () => void): Promise<Decided> {
    const { world } = this.#surroundings;
    this.#now = new StepRecord(step, taken);
    const { parent } = this.#state;
    const known = parent?.remainingBudget ? this.#calls.thatSpend() : new Set<string>();
    world.during(step, () => {
      begin();
      this.#drain();
    });
    for (;;) {
      // Machines that run items go on by themselves for a while.
      const settling = this.#performance?.settled();
      if (!settling) break;
      const before = this.#now.events.length;
      await world.holding(step, settling);
      if (this.#heard.length === 0 && this.#now.events.length === before) break;
      world.during(step, () => this.#drain());
    }
    if (parent?.remainingBudget) this.#endIfUsedUp(parent, step, known);
    if (this.#lifecycle.status === 'error') throw brokenLife(this.id, this.#lifecycle.error);
    return this.#decided();
  }

  /** A child that wants to make another call when nothing is left of the budget for it ends there. */
  #endIfUsedUp(parent: ParentRef, step: Step, known: ReadonlySet<string>): void {
    const because = this.#spending.usedUp(parent);
    if (because === undefined) return;
    if ([...this.#calls.thatSpend()].every((letter) => known.has(letter))) return;
    this.#now.usedUp = because;
    this.#surroundings.world.during(step, () => {
      this.#lifecycle.send({ type: 'cancel', reason: because });
      this.#drain();
    });
  }

  /** Hears everything that was emitted, in order, and ends the turn when it is over. */
  #drain(): void {
    for (;;) {
      const heard = this.#heard.shift();
      if (heard) this.#hear(heard);
      else if (!this.#performance?.finish()) return;
    }
  }

  #hear({ source, event }: Heard): void {
    const { parent } = this.#state;
    const within = parent ? { within: parent.ancestors } : {};
    this.#now.events.push({ instance: this.id, ...within, at: this.#now.at, source, event });
    if (source === 'lifecycle') this.#takeFromLife(event);
    else if (source === 'flow') {
      this.#performance?.take(event);
      if (event.type === 'decision.notified') this.#notify(event);
      else if (event.type === 'usage.recorded') this.#spending.countSaid(event);
    }
  }

  #takeFromLife(event: EventObject): void {
    switch (event.type) {
      case 'state.entered':
        this.#status = String(event['state']);
        this.#state = { ...this.#state, holds: event['holds_contact'] === true };
        this.#log(systemLine(this.id, this.length, event, this.#lifecycle.context));
        break;
      case 'message.recorded':
        this.#record(event);
        break;
      case 'message.send.requested':
        this.#request(event);
        break;
      case 'turn.started':
        this.#performance?.start(event, this.length);
        break;
      case 'turn.aborted':
        this.#performance?.abort();
        break;
      case 'event.refused':
        if (event['event'] === this.#now.asked)
          this.#now.refusal = refusalOf(event, this.#status, this.#definitions.flow?.machine);
        break;
      case 'instance.ended':
        this.#end();
        break;
    }
  }

  #record({ id, role, text }: EventObject): void {
    const message = { id: String(id), text: textOf(text) };
    this.#log({ ...message, role: role === 'manual' ? 'manual' : 'contact' });
    if (role === 'contact') this.#performance?.receive(message);
  }

  #request({ id, role: asked, text: given }: EventObject): void {
    const message = String(id);
    const text = textOf(given);
    const role = asked === 'manual' ? 'manual' : 'agent';
    const { at } = this.#now;
    const body: MessageLetter = { kind: 'message', message, role, text, at };
    const isNew = this.#outbox.add(messageLetter(message), body);
    if (isNew && role === 'agent') this.#log({ id: message, role, text });
  }

  /** Somebody is told of an open decision, if the host has a channel of the name. The event is there for all others. */
  #notify({ id, channel, to, text }: EventObject): void {
    if (typeof channel !== 'string' || !this.#surroundings.hasChannel(channel)) return;
    const { at } = this.#now;
    const message = `${this.id}/${textOf(id)}/notice/${at}/${this.#now.nextNotice()}`;
    const address = { channel, address: textOf(to) };
    const body = { kind: 'message', message, role: 'notice', text: textOf(text), at } as const;
    this.#outbox.add(messageLetter(message), { ...body, to: address });
  }

  #end(): void {
    this.#ended = true;
    this.#performance?.end();
    if (this.#now.asked === 'cancel') this.#withdraw();
  }

  /** Nothing that was decided and has not left goes out after a cancellation; whoever writes by hand is told. */
  #withdraw(): void {
    for (const [index, { letter, body }] of this.messages.entries()) {
      if (body.role !== 'manual') this.#outbox.settle(letter);
      // The first one is with the channel at this moment, which will say what comes of it.
      else if (index > 0) this.#reject(letter, body, 'the instance was cancelled.');
    }
  }

  #reject(letter: string, { message: id, role }: MessageLetter, because: string): void {
    this.#outbox.settle(letter);
    this.#say({ type: 'message.rejected', id, role, because });
  }

  /** Its lifecycle says so itself as long as it takes messages. */
  #isRepeated({ type, id }: EventObject): boolean {
    if (type !== 'message.received' || typeof id !== 'string') return false;
    const { seen } = this.#lifecycle.context;
    const wasTaken = this.#ended && Array.isArray(seen) && seen.includes(id);
    return wasTaken || this.#state.seenBefore?.includes(id) === true;
  }

  /** A lifecycle takes a message that is named and kept elsewhere; a conversation could not be given it. */
  #isWithoutText({ type, text }: EventObject): boolean {
    return type === 'message.received' && !this.#ended && this.performs && typeof text !== 'string';
  }

  /** The one before it in the line has ended. */
  #takeOver({ seen }: EventObject): void {
    if (Array.isArray(seen))
      this.#state = { ...this.#state, seenBefore: seen as readonly string[] };
  }

  #isForFlow({ type }: EventObject): boolean {
    const { lifecycle, flow } = this.#definitions;
    // Messages are handed to the flow in its turns, in order: it is given none beside them.
    if (type === 'message.received') return false;
    return (
      flow !== undefined && !lifecycle.machine.events.has(type) && flow.machine.events.has(type)
    );
  }

  #sendToFlow(event: EventObject): void {
    if (this.#performance?.send(event)) return;
    this.#now.refusal = this.#refusal({
      code: 'instance/not-running',
      because: `It is not running, so "${event.type}" changes nothing.`,
    });
  }

  /** Looks after the instances below, and tells the one above how this one has ended. */
  #kinChanges(): Pick<InstanceState, 'children' | 'ending'> {
    const { children = {}, parent, ending: known } = this.#state;
    const calls = this.#calls.ofDefinitions();
    const turn = this.#performance?.state.turn?.id ?? null;
    const changes = childChanges(this.id, children, calls, turn, this.#ended);
    for (const letter of changes.unwanted) this.#outbox.settle(letter);
    for (const [id, letter] of changes.letters) this.#outbox.add(id, letter);
    const ending = known ?? (parent && this.#ended ? this.#ending() : undefined);
    if (ending && !known)
      this.#outbox.add('ended', { kind: 'ended', parent: parent!.instance, call: parent!.call });
    return { children: changes.children, ...(ending ? { ending } : {}) };
  }

  #ending(): AgentEnding {
    const used = this.#spending.usage;
    const usage = used ? { usage: used } : {};
    if (this.#now.usedUp !== undefined)
      return { error: 'States.BudgetExceeded', cause: this.#now.usedUp, ...usage };
    const {
      failure_reason: failed,
      cancel_reason: cancelled,
      end_reason,
    } = this.#lifecycle.context;
    const because = textOf(failed);
    const told = because === '' ? '.' : `: ${because}. ${textOf(cancelled)}`;
    const cause = `"${this.id}" ended in ${this.#status}${told}`.trim();
    const reason = typeof end_reason === 'string' ? end_reason : undefined;
    const ending = this.#performance ? this.#performance.ending(reason) : this.#lifecycleEnding();
    return { ...(ending ?? { error: 'States.TaskFailed', cause }), ...usage };
  }

  /** How a lifecycle that is all there is has ended as an agent. */
  #lifecycleEnding(): AgentEnding | undefined {
    const { status, output } = this.#lifecycle;
    return status === 'done'
      ? this.#definitions.lifecycle.agent?.ending(output as Json)
      : undefined;
  }

  *#openCalls(): Iterable<{ readonly source: Source; readonly call: OpenCall }> {
    if (this.#ended) return;
    for (const call of this.#lifecycle.calls.values()) yield { source: 'lifecycle', call };
    yield* this.#performance?.calls() ?? [];
  }

  /** How many lines the transcript has. */
  get length(): number {
    return this.#transcriptLength;
  }

  #count(call: OpenCall, ending: PortEnding, use: CallUse | undefined): void {
    const told = this.#spending.count(call, ending, use);
    if (told) this.#say(told);
  }

  /** An event of the host's own. */
  #say(event: EventObject): void {
    this.#heard.push({ source: 'host', event });
  }

  #log(line: Omit<TranscriptLine, 'at'>): void {
    this.#transcriptLength += 1;
    this.#now.transcript.push({ ...line, at: this.#now.at });
  }

  /** Everything that the step has come to. */
  #decided(): Decided {
    const { isRefused, events, refusal: refused } = this.#now;
    return {
      ...(isRefused ? {} : { change: this.#change() }),
      events,
      answer: refused ?? { accepted: true, state: this.#status },
    };
  }

  #change(): NonNullable<Decided['change']> {
    const calls = Array.from(this.calls(), ([letter, { call }]): [string, OutboxLetter] => [
      letter,
      { kind: 'call', port: call.port },
    ]);
    this.#outbox.setCalls(new Map(calls));
    const kin = this.#kinChanges();
    const flow = this.#performance?.snapshot();
    this.#state = {
      ...this.#state,
      ...this.#performance?.state,
      ...this.#spending.state,
      lifecycle: { ...this.#state.lifecycle, snapshot: this.#lifecycle.snapshot() },
      ...(flow === undefined ? {} : { flow }),
      ...kin,
    };
    return {
      updatedAt: this.#now.at,
      status: this.#status,
      ended: this.#ended,
      snapshot: this.#state as unknown as Json,
      timers: this.#calls.timers(),
      questions: this.#calls.questions().length,
      ...this.#outbox.takeChanges(),
      journal: this.#now.journal,
      transcript: this.#now.transcript,
    };
  }

  #refusal({ code, because }: { readonly code: string; readonly because: string }): Answer {
    return refusal(code, because, this.#status);
  }

  #nothing(answer: Answer = { accepted: true, state: this.#status }): Decided {
    return { events: [], answer };
  }
}

const withoutText = {
  code: 'message/not-text',
  because: 'A message needs a "text" that is a text.',
};

function brokenLife(id: string, cause: unknown): HostError {
  const reason = reasonOf(cause);
  return new HostError('host/damaged', `The lifecycle of ${JSON.stringify(id)} broke: ${reason}`, {
    cause,
  });
}

import {
  type EventObject,
  isRecord,
  type Json,
  type JsonObject,
  type PortInput,
} from '@dramaturg/compiler';
import type { ConversationEmitted } from '@dramaturg/compiler/format';
import type { AgentEnding } from '@dramaturg/compiler/machine';
import type { LifecycleEventObject } from './event.ts';
import { MachineActor } from '../xstate/machine-actor.ts';
import type { CallChanges, OpenCall } from '../xstate/open-call.ts';
import { followUpCall } from './follow-up.ts';
import {
  type Batch,
  emptyInbox,
  readBatch,
  withAllDue,
  withMessage,
  withoutBatch,
} from './inbox.ts';
import type { FlowRunOptions, TurnState } from './flow-run-options.ts';
import { reasonOf, optionalText } from './read.ts';
import type { Turn } from './state.ts';

const askedForPerson = 'The contact has asked for a person.';

/** How often a reply is replaced: it is made at most three times. */
const supersededMax = 2;

/** Part of `turn.ended` when the contact has to write first. */
const awaitsContact = { awaits: 'contact' };

/**
 * Owns the flow of an instance, which is a conversation or a workflow, and its turns. It starts the turns that the lifecycle asks
 * for, feeds them their messages, and reports to the lifecycle when they end.
 *
 * States: no turn (`turn` is null), when the flow does not move and its calls are closed; in a turn; in a follow-up turn
 * (`turn.followUp`), when the host asks for a reminder and the flow does not move.
 */
export class FlowRun {
  readonly #options: FlowRunOptions;
  #state: TurnState;
  #flow: MachineActor | undefined;
  /** The event by which the flow reported that its turn failed. */
  #failure: EventObject | undefined;
  /** The reason why the flow refused a message. */
  #refusal: string | undefined;
  /** Whether an event from outside has ended the flow in this step. */
  #endsNow = false;
  /** The key of the reply that was in progress when the step began. */
  #replyBefore: string | undefined;
  /** The next messages of the turn, after they are read. */
  #batch: Batch | 'wanted' | undefined;

  constructor(
    options: FlowRunOptions,
    { turn, inbox, heard, answeredTo, endings, asked, failure, word, restarts }: TurnState,
    flow: Json | undefined,
  ) {
    this.#options = options;
    this.#state = {
      turn,
      inbox,
      endings,
      ...(heard ? { heard } : {}),
      ...(answeredTo === undefined ? {} : { answeredTo }),
      ...(asked ? { asked } : {}),
      ...(failure ? { failure } : {}),
      ...(word ? { word } : {}),
      ...(restarts ? { restarts } : {}),
    };
    const { machine, onEvent } = options;
    this.#flow = flow === undefined ? undefined : MachineActor.restore(machine, flow, onEvent);
  }

  /** Adds the id of the instance, which the flow needs for its keys. Formats call it `conversation` or `id`. */
  static inputFor(id: string, input: JsonObject): JsonObject {
    return { conversation: id, id, ...input };
  }

  get state(): TurnState {
    return this.#state;
  }

  snapshot(): Json | undefined {
    return this.#flow?.snapshot();
  }

  /** Whether the flow pauses before it starts more items of a list. Between turns it does not move. */
  get pauses(): boolean {
    return this.#state.turn !== null && this.#flow?.pauses === true;
  }

  beginStep(): void {
    this.#replyBefore = this.#flow && this.#openReply(this.#flow)?.key;
    this.#flow?.beginStep();
  }

  /** Whether the last step of the flow was cut, because it is long. `goOnStep` continues it. */
  get isCut(): boolean {
    return this.#flow?.isCut === true;
  }

  goOnStep(): void {
    this.#flow?.goOnStep();
  }

  /** How many items of its lists the flow runs. */
  get items(): number {
    return this.#flow?.items ?? 0;
  }

  /** Ends some of the current pauses of the flow. @param refusal why it may not run more items */
  goOn(refusal?: string): void {
    this.#flow?.goOn(refusal);
  }

  /** Returns the changes in the calls of the flow since the last call. */
  takeCallChanges(): CallChanges | undefined {
    return this.#flow?.takeCallChanges();
  }

  /** The open calls: those of the flow during its turn, at any time those that check an update, and the host's call for a reminder. */
  *calls(): Iterable<{ readonly source: 'flow' | 'host'; readonly call: OpenCall }> {
    const { turn } = this.#state;
    if (turn === null || turn.followUp)
      for (const call of this.#flow?.calls.values() ?? [])
        if (call.port === 'validate') yield { source: 'flow', call };
    if (!turn) return;
    if (turn.followUp) yield { source: 'host', call: this.#reminder(turn, turn.followUp) };
    else if (this.#flow)
      for (const call of this.#flow.calls.values())
        yield { source: 'flow', call: this.#withTools(call) };
  }

  /**
   * Keeps a message of the contact until a turn feeds it to the flow.
   *
   * @param line the index of the message in the transcript
   */
  addToInbox(line: number, text: string): void {
    this.#patch({ inbox: withMessage(this.#state.inbox, line, text) });
  }

  /** Ends the present turn, or the next one, by a word of the contact. Waiting messages are obsolete after a restart. */
  obey(word: 'person' | 'restart'): void {
    this.#patch({ word, ...(word === 'restart' && { inbox: emptyInbox }) });
  }

  /** Notes that a person has answered the lines before an index: the flow records them, and the agent does not reply. */
  noteAnswered(answeredTo: number): void {
    this.#patch({ answeredTo: Math.max(answeredTo, this.#state.answeredTo ?? 0) });
  }

  /** Whether a person has answered the lines that the flow received last. */
  get isAnswered(): boolean {
    const { heard, answeredTo = 0 } = this.#state;
    return heard !== undefined && heard.to <= answeredTo;
  }

  /** Forgets the waiting messages: they were answered by other means. */
  clearInbox(): void {
    this.#patch({ inbox: emptyInbox });
  }

  /**
   * Starts a turn. If its last turn failed, the flow makes the failed call again. A flow that has not begun begins. Messages are
   * fed when the flow waits for them.
   *
   * @param transcriptLength in lines
   * @param isResumed a person returns the conversation: without messages the agent says a line
   */
  startTurn(
    { turn, kind, messages, text }: EventObject,
    transcriptLength: number,
    isResumed: boolean,
  ): void {
    const { id, machine, input, onEvent } = this.#options;
    const isFailed = this.#flow?.isFailed === true;
    const isReminder = kind === 'follow_up' && messages === 0 && !isFailed;
    const followUp = isReminder ? followUpCall(id, String(turn), transcriptLength) : null;
    this.#patch({
      turn: { id: String(turn), kind: String(kind), followUp },
      inbox: withAllDue(this.#state.inbox),
    });
    if (followUp) {
      // The author has written the reminder, so no agent is asked for it.
      if (typeof text === 'string') this.#reminder(this.#state.turn!, followUp).answer({ text });
      return;
    }
    if (isFailed) this.#flow!.dispatch({ type: 'turn.retry' });
    else if (isResumed && messages === 0) this.#flow?.dispatch({ type: 'turn.resume' });
    this.#flow ??= MachineActor.begin(machine, FlowRun.inputFor(id, input), onEvent);
  }

  /** Aborts the turn. The flow repeats its open calls in the next turn. */
  abortTurn(): void {
    this.#patch({ turn: null });
  }

  endInstance(): void {
    this.#patch({ turn: null, inbox: emptyInbox, endings: [] });
  }

  handleFlowEvent(emitted: EventObject): void {
    const event = emitted as EventObject & ConversationEmitted;
    const { turn } = this.#state;
    if (event.type === 'message.sent' && this.#hasEndedOutside)
      return this.#options.say(event.key, optionalText(event.text));
    if (event.type === 'help.requested') this.#askForPerson(optionalText(event.reason));
    if (!turn) return;
    if (event.type === 'message.sent') this.#reply(turn, optionalText(event.text), event.key);
    if (event.type === 'turn.failed') this.#failure = event;
    if (event.type === 'message.refused') this.#refusal = optionalText(event.because);
  }

  /**
   * The ending of the flow, as an agent of another definition; undefined while it runs.
   *
   * @param reason why the lifecycle has ended before the flow. The result is then the output so far.
   */
  ending(reason?: string): AgentEnding | undefined {
    const flow = this.#flow;
    if (!flow) return undefined;
    const output = (flow.output ?? null) as Json;
    if (flow.status === 'done')
      return this.#options.machine.agent?.ending(output) ?? { result: output };
    if (reason === undefined) return undefined;
    if (!isRecord(output)) return { result: output };
    // The flow has not reached its end, or has no end.
    const isOpen = ['completed', 'cancelled'].includes(optionalText(output['outcome']));
    const outcome = flow.context['endless'] === true ? 'completed' : 'ended_by_agent';
    return { result: { ...output, ...(isOpen && { outcome }), reason } };
  }

  /** @returns false when the flow does not run */
  dispatch(event: EventObject): boolean {
    if (this.#flow?.status !== 'active') return false;
    this.#flow.dispatch(event);
    this.#endsNow = this.#hasEndedOutside;
    return true;
  }

  /** Answers a call of the flow. Then the lifecycle gets the events of the agent's tools. */
  answerCall(call: OpenCall, output: unknown): void {
    const { turn } = this.#state;
    const original = this.#flow?.calls.get(call.key);
    if (!turn || !original || !this.#isAgentReply(original)) return call.answer(output);
    const reply = this.#splitReply(turn, output, original.input as unknown as PortInput<'reply'>);
    call.answer(reply.output);
    reply.tellEvents();
  }

  /**
   * Feeds the flow its next messages, or reports to the lifecycle that the turn has ended. If the messages have to be read first,
   * sets `wantsMessages`.
   *
   * @returns whether it has fed or reported, so that there may be more events
   */
  finishTurn(): boolean {
    const { turn, endings } = this.#state;
    const flow = this.#flow;
    if (this.isCut) return false;
    if (this.#hasEndedOutside) {
      const isNow = this.#endsNow;
      this.#endsNow = false;
      return this.#options.endInstance(outcomeOf(flow!.output), isNow);
    }
    if (turn && this.#state.word) return this.#obeyWord(turn, this.#state.word);
    if (!flow) return false;
    if (!turn || turn.followUp)
      return this.#options.machine.converses && this.#asksAgent(flow) && this.#options.wantTurn();
    if (this.isAnswered && this.#keepSilent(this.#openReply(flow))) return true;
    // The reply to the messages that wait also asks what an event from outside has led to.
    if (
      this.#state.inbox.due > 0 &&
      turn.kind === 'reply' &&
      this.#keepSilent(this.#openLine(flow))
    )
      return true;
    if (this.#options.supersedes && this.#supersede(turn, flow)) return true;
    if (!this.#state.asked && this.#options.machine.converses && this.#asksAgent(flow))
      this.#patch({ asked: true });
    if (this.#failure) {
      const { code, message } = this.#failure;
      return this.#fail(turn, optionalText(message), true, optionalText(code));
    }
    if (flow.status === 'error') return this.#fail(turn, reasonOf(flow.error), false);
    if (flow.status === 'done')
      return endings.length > 0 ? this.#endTurn(turn) : this.#reportEnd(turn, flow.output);
    if (!this.#options.machine.converses || !flow.isWaiting) return false;
    if (this.#refusal !== undefined)
      return this.#fail(turn, this.#refusal, true, 'message/refused');
    const isOver = endings.some(({ type }) => type === 'agent.ended');
    if (isOver || this.#state.inbox.due === 0) return this.#endTurn(turn);
    return this.#feed(flow);
  }

  /** Obeys a word. `person` ends the turn immediately, and open calls are repeated later. After `restart`, calls have other keys. */
  #obeyWord(turn: Turn, word: 'person' | 'restart'): boolean {
    const { id, machine, input, onEvent } = this.#options;
    const { endings, restarts = 0 } = this.#state;
    if (word === 'person') {
      const flagged = { type: 'agent.flagged', reason: askedForPerson } as const;
      this.#patch({ word: null, endings: [...endings, flagged] });
      return this.#endTurn(turn);
    }
    // The next turn obeys the word.
    if (turn.followUp) return this.#endTurn(turn);
    const conversation = `${id}/restart-${restarts + 1}`;
    this.#patch({ word: null, restarts: restarts + 1, endings: [], failure: null });
    this.#flow = MachineActor.begin(
      machine,
      { ...FlowRun.inputFor(id, input), conversation },
      onEvent,
    );
    return true;
  }

  /** Whether a conversation has ended outside a turn, for example by an update. */
  get #hasEndedOutside(): boolean {
    const { turn } = this.#state;
    if (this.#flow?.status !== 'done' || !this.#options.machine.converses) return false;
    return turn === null || turn.followUp !== null;
  }

  /** Skips a reply: a person has answered, or another one follows. */
  #keepSilent(call: OpenCall | undefined): boolean {
    call?.answer({ text: '', toolCalls: [], silent: 'answered' });
    return call !== undefined;
  }

  /** Makes the reply again when more messages have come, except the last words of a conversation. */
  #supersede(turn: Turn, flow: MachineActor): boolean {
    const { superseded = 0 } = turn;
    const { inbox } = this.#state;
    if (inbox.count === 0 || superseded === supersededMax) return false;
    const call = this.#openReply(flow);
    if (!call || (call.input as JsonObject)['ends']) return false;
    if (call.key === this.#replyBefore && !this.#options.mayGiveUp()) return false;
    this.#patch({ turn: { ...turn, superseded: superseded + 1 }, inbox: withAllDue(inbox) });
    this.#options.tellLifecycle({ type: 'turn.extended', turn: turn.id });
    call.answer({ text: '', toolCalls: [], silent: 'superseded' });
    return true;
  }

  /** The open call for a reply to messages. */
  #openReply({ calls }: MachineActor): OpenCall | undefined {
    return this.#openCall(calls, (input) => input['message'] !== undefined);
  }

  /** The open call for a line of the agent after an event from outside. */
  #openLine({ calls }: MachineActor): OpenCall | undefined {
    return this.#openCall(calls, (input) => input['message'] === undefined);
  }

  #openCall(
    calls: MachineActor['calls'],
    isIt: (input: JsonObject) => boolean,
  ): OpenCall | undefined {
    for (const call of calls.values())
      if (this.#isAgentReply(call) && isIt(call.input as JsonObject)) return call;
    return undefined;
  }

  /** Whether the flow waits for the agent. No call is missed: one that was made in this step cannot be answered yet. */
  #asksAgent({ calls }: MachineActor): boolean {
    for (const { port } of calls.values()) if (port === 'reply') return true;
    return false;
  }

  /** Whether the flow waits for messages that have to be read: `readMessages`, and then `finishTurn` again. */
  get wantsMessages(): boolean {
    return this.#batch === 'wanted';
  }

  async readMessages(): Promise<void> {
    const { question, readTranscript } = this.#options;
    const { inbox, answeredTo } = this.#state;
    this.#batch = await readBatch(inbox, readTranscript, question(), answeredTo);
  }

  /** @returns false when the messages have to be read first */
  #feed(flow: MachineActor): boolean {
    const batch = this.#batch;
    if (batch === undefined || batch === 'wanted') {
      this.#batch = 'wanted';
      return false;
    }
    this.#batch = undefined;
    const { heard, turn } = this.#state;
    const { early, texts, next: to } = batch;
    const inbox = withoutBatch(this.#state.inbox, batch);
    const from = heard && (heard.more || turn?.superseded) ? heard.from : batch.from;
    const own = from === batch.from ? {} : { own: batch.from };
    const more = early && inbox.due > 0 ? ({ more: true } as const) : {};
    this.#patch({ inbox, heard: { from, to, ...own, ...more } });
    // One message, so that the flow answers once.
    const text = texts.join('\n');
    flow.dispatch({ type: 'message.received', text, ...(early && { early }), ...more });
    return true;
  }

  #isAgentReply({ port }: OpenCall): boolean {
    return port === 'reply' && this.#options.machine.converses;
  }

  #withTools(call: OpenCall): OpenCall {
    if (!this.#options.machine.converses) return call;
    const tools = this.#options.tools();
    const input = call.input as unknown as PortInput<'reply'> & PortInput<'extract'>;
    const { reply } = input;
    if (call.port === 'reply') return { ...call, input: tools.offeredIn(input) as unknown as Json };
    // A port that writes the next message together with its answer has to know the input of the reply.
    if (reply === undefined) return call;
    return { ...call, input: { ...input, reply: tools.offeredIn(reply) } as unknown as Json };
  }

  /**
   * Splits a reply into the flow's part and the events for the lifecycle. Events that end the turn are kept until the turn
   * ends, because the lifecycle accepts no reply after the agent has ended the conversation or asked for a person.
   */
  #splitReply(
    turn: Turn,
    output: unknown,
    input: PortInput<'reply'>,
  ): { readonly output: unknown; readonly tellEvents: () => void } {
    const { events, endings, rest } = this.#options.tools().requestsIn(output, input);
    const known = this.#state.endings;
    const first = endings.filter(
      ({ type }, index) =>
        !known.some((ending) => ending.type === type) &&
        endings.findIndex((ending) => ending.type === type) === index,
    );
    if (first.length > 0) this.#patch({ endings: [...known, ...first] });
    return { output: rest, tellEvents: () => this.#tell(turn, events) };
  }

  #tell(turn: Turn, events: readonly LifecycleEventObject[]): void {
    for (const event of events) this.#options.tellLifecycle({ ...event, turn: turn.id });
  }

  /** Notifies the lifecycle that the flow hands over: at the end of the turn; outside a turn, immediately or at the end of the next. */
  #askForPerson(reason: string): void {
    const { endings, turn } = this.#state;
    if (turn === null && this.#options.flag(reason)) return;
    if (!endings.some(({ type }) => type === 'agent.flagged'))
      this.#patch({ endings: [...endings, { type: 'agent.flagged', ...(reason && { reason }) }] });
  }

  #reply(turn: Turn, text: string, key: unknown): void {
    // An empty text means that the agent has nothing to say. If a person waits for an answer, it is a failed call.
    if (text.trim() === '') return;
    const id = typeof key === 'string' ? { id: key } : {};
    this.#options.tellLifecycle({ type: 'agent.replied', turn: turn.id, ...id, text });
  }

  #reminder(turn: Turn, request: NonNullable<Turn['followUp']>): OpenCall {
    const closeCall = () => this.#patch({ turn: { ...turn, followUp: null } });
    return {
      key: request.key,
      port: 'reply',
      input: this.#options.tools().offeredIn(request) as unknown as Json,
      answer: (output) => {
        closeCall();
        const { output: rest, tellEvents } = this.#splitReply(turn, output, request);
        this.#reply(turn, optionalText((rest as { text?: unknown }).text), request.key);
        tellEvents();
        this.#endTurn(turn);
      },
      fail: (error) => {
        closeCall();
        this.#fail(turn, reasonOf(error), true);
      },
    };
  }

  #reportEnd(turn: Turn, output: unknown): boolean {
    const { status, error, cause } = isRecord(output) ? output : {};
    if (typeof status === 'string' && status !== 'succeeded') {
      const reason = [error ?? status, cause].filter((part) => typeof part === 'string').join(': ');
      return this.#reportFailure(turn, reason, false);
    }
    this.#options.tellLifecycle({
      type: 'agent.ended',
      turn: turn.id,
      reason: outcomeOf(output),
    });
    return this.#endTurn(turn);
  }

  #endTurn(turn: Turn): boolean {
    // A conversation that rests before its first call to the agent waits for the contact's first message.
    const awaits = this.#state.asked || !this.#options.machine.converses ? {} : awaitsContact;
    if (this.#state.failure) this.#patch({ failure: null });
    return this.#reportTurn(turn, { type: 'turn.ended', ...awaits });
  }

  /** The flow keeps the message of a failed turn, and repeats the failed call in the next turn. */
  #fail(turn: Turn, cause: string, recoverable: boolean, error: string | null = null): boolean {
    this.#patch({ failure: { error, cause } });
    return this.#reportFailure(turn, error === null ? cause : `${cause} (${error})`, recoverable);
  }

  #reportFailure(turn: Turn, reason: string, recoverable: boolean): boolean {
    return this.#reportTurn(turn, { type: 'turn.failed', reason, recoverable });
  }

  #reportTurn(turn: Turn, event: LifecycleEventObject): boolean {
    const { endings } = this.#state;
    this.#failure = undefined;
    this.#refusal = undefined;
    this.#patch({ turn: null, endings: [] });
    if (event['recoverable'] !== false) this.#tell(turn, endings);
    this.#tell(turn, [event]);
    return true;
  }

  #patch(fields: Partial<TurnState>): void {
    this.#state = { ...this.#state, ...fields };
  }
}

function outcomeOf(output: unknown): string {
  const { outcome, status } = isRecord(output) ? output : {};
  return optionalText(outcome ?? status) || 'done';
}

import type {
  EventObject,
  Json,
  JsonObject,
  PortCall,
  PortInput,
  PortName,
} from '@dramaturg/compiler';
import type { PortEnding } from '@dramaturg/compiler/machine';
import { withoutSecrets } from '@dramaturg/compiler/secrets';
import type { CallUsage, UsageTotal } from '../limits/index.ts';
import { type FlowChange, forgetReplaced } from '../migration/flow-change.ts';
import { toRecordedError } from '../recording/recorded-error.ts';
import type { Attention, DefinitionVersion, StoreRecord } from '../store/contract.ts';
import { MachineActor } from '../xstate/machine-actor.ts';
import { callAnswered, callFailed } from './call-events.ts';
import { composeInstance } from './compose-instance.ts';
import { answerQuestion } from './answer-question.ts';
import { type DeliveryReport, isNewReport, reportWithoutSecrets } from './delivery-reports.ts';
import { contactInput, policiesOf } from './child-start.ts';
import { placed } from './early.ts';
import { type Answer, decisionMade } from './event.ts';
import { isForFlow, refusalBefore, withOverlap, withReadLines } from './event-checks.ts';
import { sendableNow } from './letter.ts';
import { isDeskAct, isLifecycleAct } from './operator-acts.ts';
import { requireAcceptedByFlow, requireAcceptedByLifecycle } from './first-message.ts';
import { type InstanceCall } from './instance-calls.ts';
import { LeftWork } from './left-work.ts';
import type { Outbox } from './outbox.ts';
import { FlowRun } from './flow-run.ts';
import { emptyInbox } from './inbox.ts';
import type { Birth, ChildRequest, InstanceState } from './state.ts';
import { portErrorOf, type StepInput } from './step-input.ts';
import { SnapshotParts } from './snapshot-parts.ts';
import { StoredForm } from './stored-form.ts';
import type { Step } from './step-world.ts';
import { StepEngine, type StepEngineOptions } from './step-engine.ts';
import type { StateChange, StepResult } from './step-result.ts';
import type { LoadedDefinitions, Surroundings } from './surroundings.ts';
import type { Attempt } from './work-left-error.ts';
import { type StoredFields } from './working-state.ts';

/**
 * Owns an active instance: its lifecycle and its flow as running machines, and their working state. Each `decide…` method is one
 * step: it takes one input and returns the decided result, without any effect. Steps are functions: the same state and the same
 * input give the same result.
 *
 * States: those of its lifecycle (`status`); it has ended once `ended` is true, and then decides refusals only (H7).
 */
export class LiveInstance {
  storedForm: StoredForm;
  /** Whether its steps may leave long evaluations to threads, so that they have to be decided again. */
  leavesWork = false;
  #again: Step | undefined;
  #parts: StepEngineOptions;
  #engine: StepEngine;

  private constructor(
    stored: StoredFields,
    { state, parts: snapshotParts }: ReturnType<typeof SnapshotParts.join>,
    definitions: LoadedDefinitions,
    surroundings: Surroundings,
    createLifecycle: (onEvent: (event: EventObject) => void) => MachineActor,
  ) {
    this.storedForm = new StoredForm(snapshotParts);
    const parts = composeInstance(stored, state, definitions, surroundings, createLifecycle);
    this.#parts = parts;
    this.#engine = new StepEngine(parts);
  }

  /** @throws InputError; HostError `host/message-refused` */
  static async begin(
    birth: Birth,
    definitions: LoadedDefinitions,
    surroundings: Surroundings,
    attempt: Attempt = async (step, decide) => decide(step),
  ): Promise<{ instance: LiveInstance; result: StepResult }> {
    const { id, contact, queued, input, message, lifecycleInput, copy } = birth;
    const { lifecycle, flow } = definitions;
    const { world } = surroundings;
    const first = world.step();
    // The flow begins only in the first turn, but unfit input has to be refused now.
    if (flow && !copy) {
      const flowInput = FlowRun.inputFor(id, input);
      MachineActor.check(flow.machine, flowInput);
      if (message) await requireAcceptedByFlow(flow.machine, flowInput, message, world.nextTurn);
    }
    const begun = await attempt(first, async (step) => {
      const instance = world.during(
        step,
        () =>
          new LiveInstance(
            { id, contact, status: 'new', ended: false, transcriptLength: 0, outbox: [] },
            { state: initialState(birth, lifecycle.ref), parts: new SnapshotParts() },
            definitions,
            surroundings,
            (onEvent) => {
              const given = { ...(flow ? {} : input), ...lifecycleInput, instance: id, queued };
              return MachineActor.begin(lifecycle.machine, given, onEvent);
            },
          ),
      );
      const started: StepInput = { type: 'instance.started', birth };
      const result = await instance.#engine.run(started, step, () => {
        // The message comes before the end of the first turn, so an agent that waits for the contact's first word gets it.
        if (!message) return;
        const { words, working } = instance.#parts;
        const event = { type: 'message.received', ...message };
        if (flow && !flow.machine.converses) {
          const line = { id: message.id ?? `${id}/message`, text: message.text };
          return working.addMessage({ ...line, ...working.step.messageFields });
        }
        const word = words.in(event);
        if (word) words.hear(word, event);
        else instance.#parts.lifecycle.dispatch(event);
      });
      return { instance, result };
    });
    requireAcceptedByLifecycle(begun.result.events);
    return begun;
  }

  /** Restores a stored instance. Unanswered calls are open again (H4). */
  static restore(
    record: StoreRecord,
    definitions: LoadedDefinitions,
    surroundings: Surroundings,
  ): LiveInstance {
    const joined = SnapshotParts.join(record);
    return new LiveInstance(record, joined, definitions, surroundings, (onEvent) =>
      MachineActor.restore(definitions.lifecycle.machine, joined.state.lifecycle.snapshot, onEvent),
    );
  }

  /** Returns to the stored state, to decide a step again. @param step left out for a new step */
  restart(record: StoreRecord, step?: Step): void {
    const { definitions, surroundings, working } = this.#parts;
    const stored = LiveInstance.restore(record, definitions, surroundings);
    stored.#parts.working.outbox.knowAs(working.outbox);
    [this.storedForm, this.#parts, this.#engine] = [
      stored.storedForm,
      stored.#parts,
      stored.#engine,
    ];
    this.#again = step;
    this.noteStored();
  }

  get id(): string {
    return this.#parts.working.id;
  }

  get contact(): string | undefined {
    return this.#parts.working.contact;
  }

  /** Whether it has a flow: a conversation or a workflow besides its lifecycle. */
  get performs(): boolean {
    return this.#parts.flowRun !== undefined;
  }

  get definition(): DefinitionVersion {
    return (this.#parts.definitions.flow ?? this.#parts.definitions.lifecycle).ref;
  }

  /** The state at the last `takeChange`; turns, inbox and use are always current. */
  get state(): InstanceState {
    return this.#parts.working.state;
  }

  /** The queue of people's work that it is in, at the last `takeChange`. */
  get attention(): Attention {
    return this.#parts.working.attention;
  }

  /** The lines that the flow received last. */
  get heard(): InstanceState['heard'] {
    return this.#parts.flowRun?.state.heard;
  }

  get used(): UsageTotal {
    return this.#parts.working.spending.used;
  }

  get status(): string {
    return this.#parts.working.status;
  }

  get ended(): boolean {
    return this.#parts.working.ended;
  }

  /** How often steps have waited: for the store, a thread, or a turn of the event loop. */
  get waitCount(): number {
    return this.#parts.working.transcript.readCount + this.#engine.turnCount;
  }

  get transcriptLength(): number {
    return this.#parts.working.transcript.length;
  }

  /** Messages for the channel, in the order in which they were decided. */
  get messages(): Outbox['messages'] {
    const { outbox, state } = this.#parts.working;
    return sendableNow(outbox.messages, Boolean(state.claim));
  }

  /** Letters to the parent and to children, in the order in which they were decided. */
  get familyLetters(): Outbox['familyLetters'] {
    return this.#parts.working.outbox.familyLetters;
  }

  /** Calls that the host has to make. They are in the outbox. */
  calls(): ReadonlyMap<string, InstanceCall> {
    return this.#parts.calls.toMake();
  }

  /** Calls that wait for a timer, a decision, or a child. */
  waits(): ReadonlyMap<string, InstanceCall> {
    return this.#parts.calls.waits();
  }

  /** The time of an open call, for its port. */
  timeOf(letter: string): Pick<PortCall, 'now' | 'timeZone'> {
    return { now: this.#parts.working.outbox.callTime(letter), timeZone: this.#engine.timeZone };
  }

  /** The request of a call to its child; undefined when the call is not open any more. */
  childRequest(letter: string): ChildRequest | undefined {
    const { call } = this.waits().get(letter) ?? {};
    if (!call) return undefined;
    const { input, left, tools } = call.input as PortInput<'runAgent'>;
    const { spending, state } = this.#parts.working;
    return { input, remainingBudget: spending.remainingFor(left, state.parent), tools };
  }

  /** What its agents and its successor know of the contact: input of their lifecycles. */
  get passedOn(): JsonObject {
    const caller = policiesOf(this.#parts);
    const { context } = this.#parts.lifecycle;
    return { ...contactInput(context), ...(Object.keys(caller).length > 0 && { caller }) };
  }

  /** Decides on an event from outside or from the host. */
  async decideEvent(given: EventObject): Promise<StepResult> {
    const refused = await refusalBefore(given, this.#parts);
    if (refused) return this.#unchanged(refused);
    const seen = await withReadLines(given, this.#parts);
    const event = withOverlap(await placed(seen, this.#parts), this.#parts);
    return this.#run({ type: 'event.taken', event }, () => {
      const word = this.#parts.words.in(event);
      if (this.ended && event.type === 'message.received') this.#parts.words.hearAfterEnd(event);
      else if (word) this.#parts.words.hear(word, event);
      else if (event.type === decisionMade) {
        const questions = this.#parts.calls.questions();
        const problem = answerQuestion(questions, event, (question, decision) =>
          this.#report(callAnswered(question, decision)),
        );
        if (problem) this.#parts.working.refuse(problem);
      } else if (isDeskAct(event.type) || isLifecycleAct(event.type)) this.#parts.acts.act(event);
      else if (isForFlow(event, this.#parts.definitions)) this.#dispatchToFlow(event);
      else this.#parts.lifecycle.dispatch(event);
    });
  }

  /**
   * Decides on the outcome of a call. If the call is not open any more, nothing changes.
   *
   * @param use the call's consumption, if it counts. It is stored in the same write, so it is counted once.
   */
  async decideCall(letter: string, ending: PortEnding, use?: CallUsage): Promise<StepResult> {
    const found = this.#parts.calls.get(letter);
    if (!found) return this.#unchanged();
    // A call that waits for its next attempt has no outcome: the time of the attempt has come.
    if (this.#parts.repeated.waitsUntil(letter) !== undefined) return this.decideRepeat(letter);
    const { source, call } = found;
    const used = use ? { use } : {};
    if ('error' in ending) {
      const error = portErrorOf(ending.error, call.port);
      return this.#run(
        { type: 'call.failed', call: letter, error: toRecordedError(error), ...used },
        () => {
          this.#report(this.#parts.working.spending.count(call, { error }, use));
          const { repeated, calls } = this.#parts;
          if (!calls.isWaitedFor(call) && repeated.mayRepeat(found, error))
            repeated.postpone(found, error);
          else {
            this.#report(callFailed(call, error));
            call.fail(error);
          }
        },
      );
    }
    const { output } = ending;
    return this.#run(
      { type: 'call.answered', call: letter, output: output as Json, ...used },
      () => {
        this.#report(this.#parts.working.spending.count(call, ending, use));
        this.#report(callAnswered(call, output));
        if (source === 'lifecycle') call.answer(output);
        else this.#parts.flowRun!.answerCall(call, output);
      },
    );
  }

  /** Counts what an aborted call has consumed. Its outcome is ignored. */
  async decideUse(port: PortName, key: string, use: CallUsage): Promise<StepResult> {
    return this.#run({ type: 'use.counted', port, key, use }, () =>
      this.#report(this.#parts.working.spending.countApart(port, key, use)),
    );
  }

  /** Retries a failed call that waits for its next attempt. */
  async decideRepeat(letter: string): Promise<StepResult> {
    const { repeated } = this.#parts;
    if (repeated.waitsUntil(letter) === undefined) return this.#unchanged();
    return this.#run({ type: 'call.repeated', call: letter }, () => repeated.repeat(letter));
  }

  /** Whether it has work left that needs no input, such as starting more of many items. A letter in the store records this (H9). */
  get hasMore(): boolean {
    const { flowRun, working } = this.#parts;
    return working.outbox.continues || flowRun?.pauses === true;
  }

  /** How many items of lists it runs. */
  get items(): number {
    return this.#parts.flowRun?.items ?? 0;
  }

  /** Lets it continue: its flow starts more items. @param refusal why it may not */
  async decideMore(refusal?: string): Promise<StepResult> {
    if (!this.hasMore) return this.#unchanged();
    return this.#run({ type: 'items.continued', ...(refusal && { refusal }) }, () => {
      if (refusal) this.#parts.flowRun?.goOn(refusal);
    });
  }

  /** Decides on a message by hand that the channel has accepted: the lifecycle gets it. */
  async decideDelivered(letter: string): Promise<StepResult> {
    const { working, lifecycle } = this.#parts;
    const body = working.outbox.message(letter);
    if (!body) return this.#unchanged();
    const { message: id, role, text, by } = body;
    return this.#run({ type: 'message.taken', letter }, () => {
      working.outbox.settle(letter);
      working.emit('host', { type: 'message.delivered', id, role });
      if (role !== 'manual') return;
      // A lifecycle that has ended accepts nothing, but the contact has the message: the transcript records it.
      [working.step.author, working.step.upTo] = [by, body.upTo];
      if (this.ended) working.addLine({ id, role, text, ...(by === undefined ? {} : { by }) });
      else lifecycle.dispatch({ type: 'manual_send', id, text });
    });
  }

  /** Decides on a message that the channel has rejected permanently. */
  async decideRejected(letter: string, reason: string): Promise<StepResult> {
    const body = this.#parts.working.outbox.message(letter);
    if (!body) return this.#unchanged();
    const because = withoutSecrets(reason);
    const { messages } = this.#parts;
    return this.#run({ type: 'message.refused', letter, because }, () =>
      messages.reject(letter, body, because),
    );
  }

  /** Decides on a report about a message that the channel has accepted. A repeated or late report is not stored. */
  async decideReported(given: Omit<DeliveryReport, 'instance'>): Promise<StepResult> {
    const report = reportWithoutSecrets(given);
    if (!isNewReport(this.state.reports, report)) return this.#unchanged();
    const { messages } = this.#parts;
    return this.#run({ type: 'delivery.reported', report }, () => messages.report(report));
  }

  /** Decides to continue with another version of the flow. */
  async decideFlow(change: FlowChange): Promise<StepResult> {
    const changed = change(this.#parts);
    if (changed === undefined || 'accepted' in changed) return this.#unchanged(changed);
    const { parts, input, event, flowEvents } = changed;
    [this.#parts, this.#engine] = [parts, new StepEngine(parts)];
    return this.#engine.run(input, parts.surroundings.world.step(), () => {
      this.#report(event);
      for (const each of flowEvents) parts.working.emit('flow', each);
    });
  }

  /** Returns the changes of the steps since the last call. */
  takeChange(): StateChange {
    return this.#engine.takeChange();
  }

  /**
   * Forgets lines of the transcript that are stored.
   *
   * @param end the index after the last stored line; when left out, all lines are stored
   */
  noteStored(end?: number): void {
    this.#parts.working.transcript.noteStored(end);
  }

  /** Notes that the channel has a message, before the receipt is stored. */
  noteAccepted(letter: string): void {
    this.#parts.working.outbox.noteAccepted(letter);
  }

  /** Notes that a part of a reply in progress was shown. */
  noteStreamed(letter: string): void {
    this.#parts.working.outbox.noteStreamed(letter);
  }

  /** Removes a letter whose receipt is already in the store. */
  acknowledged(letter: string): void {
    this.#parts.working.outbox.forget(letter);
  }

  async #run(input: StepInput, deliverInput: () => void): Promise<StepResult> {
    forgetReplaced(this.#parts.working);
    const left = this.leavesWork ? { left: new LeftWork() } : {};
    const step = this.#again ?? { ...this.#parts.surroundings.world.step(), ...left };
    this.#again = undefined;
    return this.#engine.run(input, step, deliverInput);
  }

  #unchanged(answer: Answer = { accepted: true, state: this.status }): StepResult {
    return { events: [], answer };
  }

  #dispatchToFlow(event: EventObject): void {
    if (this.#parts.flowRun?.dispatch(event)) return;
    this.#parts.working.refuse({
      code: 'instance/not-running',
      because: `It is not running, so "${event.type}" changes nothing.`,
    });
  }

  #report(event: EventObject | undefined): void {
    if (event) this.#parts.working.emit('host', event);
  }
}

/** The state of an instance before its first step. */
function initialState(birth: Birth, lifecycle: DefinitionVersion): InstanceState {
  const { copy, parent, input, address, channel } = birth;
  return {
    ...(parent ? { parent } : {}),
    ...(copy ? { flow: copy.flow, copyOf: copy.of } : {}),
    lifecycle: { definition: lifecycle, snapshot: null },
    input,
    address,
    channel,
    holds: false,
    turn: null,
    inbox: emptyInbox,
    endings: [],
  };
}

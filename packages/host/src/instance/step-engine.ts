import type { EventObject, Json } from '@dramaturg/compiler';
import { failureLines } from '@dramaturg/compiler/chart';
import { withoutSecrets } from '@dramaturg/compiler/secrets';
import { isTimeZone } from '@dramaturg/compiler/text';
import { HostError } from '../errors.ts';
import type { MachineActor } from '../xstate/machine-actor.ts';
import { CallEvents } from './call-events.ts';
import { policiesOf } from './child-start.ts';
import { childId } from './children.ts';
import { familyChanges } from './family-changes.ts';
import { type InstanceCalls, timersIn } from './instance-calls.ts';
import type { InstanceMessages } from './instance-messages.ts';
import type { OutboxLetter } from './letter.ts';
import { LifecycleEvents } from './lifecycle-events.ts';
import { attentionAfter, attentionAfterLine } from './attention.ts';
import { ownerAt } from './claim.ts';
import { isAct, isListedAct, type OperatorActs } from './operator-acts.ts';
import type { FlowRun } from './flow-run.ts';
import type { HostEvent } from './event.ts';
import { reasonOf } from './read.ts';
import { ancestryOf, type ParentRef } from './state.ts';
import type { RepeatedCalls } from './repeated-calls.ts';
import type { StepInput } from './step-input.ts';
import { StepRecord } from './step-record.ts';
import { suspensionsOf } from './suspensions.ts';
import { traceLinked } from './trace-link.ts';
import type { StateChange, StepResult } from './step-result.ts';
import type { Step } from './step-world.ts';
import type { LoadedDefinitions, Surroundings } from './surroundings.ts';
import type { Words } from './words.ts';
import type { EmittedEvent, WorkingState } from './working-state.ts';

/** The parts of an active instance. */
export interface StepEngineOptions {
  readonly working: WorkingState;
  readonly lifecycle: MachineActor;
  readonly flowRun: FlowRun | undefined;
  readonly calls: InstanceCalls;
  readonly repeated: RepeatedCalls;
  readonly messages: InstanceMessages;
  readonly acts: OperatorActs;
  readonly words: Words;
  readonly definitions: LoadedDefinitions;
  readonly surroundings: Surroundings;
}

/**
 * How often a flow that starts many items pauses in one step, with 32 new items each: the rest follows in further steps, so that
 * a write does not block the event loop.
 */
const pausesPerStep = 8;

/**
 * Runs the steps of one instance: it feeds the input to a machine, handles the events that the machines emit until none
 * is left, and collects the result.
 */
export class StepEngine {
  readonly #options: StepEngineOptions;
  readonly #lifecycleEvents: LifecycleEvents;
  readonly #callEvents: CallEvents;
  #turnCount = 0;

  constructor(options: StepEngineOptions) {
    this.#options = options;
    const { working, lifecycle, flowRun, messages, repeated, words, definitions } = options;
    const flow = definitions.flow?.machine;
    this.#callEvents = new CallEvents(flowRun);
    this.#lifecycleEvents = new LifecycleEvents({
      working,
      lifecycle,
      flowRun,
      messages,
      repeated,
      words,
      flow,
    });
  }

  /** How often a step has given the event loop a turn. */
  get turnCount(): number {
    return this.#turnCount;
  }

  /** The time zone of the contact, if the instance was started with it, or else of the lifecycle or the caller. */
  get timeZone(): string {
    const { context } = this.#options.lifecycle;
    const own = context['time_zone'] ?? policiesOf(this.#options)['time_zone'];
    return typeof own === 'string' && isTimeZone(own) ? own : 'UTC';
  }

  /** @param deliverInput gives the input to a machine */
  async run(input: StepInput, step: Step, deliverInput: () => void): Promise<StepResult> {
    const { working, lifecycle, flowRun, calls, surroundings } = this.#options;
    const { world } = surroundings;
    step.timeZone = this.timeZone;
    working.step = new StepRecord(step, input);
    const { parent } = working.state;
    const callsBefore = parent?.remainingBudget ? calls.thatSpend() : new Set<string>();
    flowRun?.beginStep();
    world.during(step, () => {
      deliverInput();
      this.#handleAll();
    });
    if (flowRun) await this.#goOn(flowRun, step);
    if (input.type === 'event.taken' && !working.step.isRefused) {
      const problem = refusalOfToken(input.event, working.step.events);
      if (problem) working.refuse(problem);
    }
    if (parent?.remainingBudget) this.#endIfOverBudget(parent, step, callsBefore);
    if (lifecycle.status === 'error') throw brokenLifecycle(working.id, lifecycle.error);
    return this.#result();
  }

  /**
   * Continues while the flow is in the middle of a long step, needs messages that have to be read, or pauses before it starts more
   * items.
   */
  async #goOn(flowRun: FlowRun, step: Step): Promise<void> {
    const { world } = this.#options.surroundings;
    for (let pauses = 0; ;) {
      if (flowRun.isCut) {
        this.#turnCount += 1;
        await world.nextTurn();
        world.during(step, () => {
          flowRun.goOnStep();
          this.#handleAll();
        });
        continue;
      }
      if (flowRun.wantsMessages) {
        await flowRun.readMessages();
        world.during(step, () => this.#handleAll());
        continue;
      }
      if (!flowRun.pauses || pauses === pausesPerStep) return;
      pauses += 1;
      // Other instances get time here: their turns have several steps, and wait at each.
      this.#turnCount += 1;
      await world.nextTurn();
      world.during(step, () => {
        flowRun.goOn();
        this.#handleAll();
      });
    }
  }

  /** Ends a child that wants to make another call when its budget is used up. */
  #endIfOverBudget(parent: ParentRef, step: Step, callsBefore: ReadonlySet<string>): void {
    const { working, lifecycle, calls, surroundings } = this.#options;
    const because = working.spending.exceeded(parent);
    if (because === undefined) return;
    if ([...calls.thatSpend()].every((letter) => callsBefore.has(letter))) return;
    working.budgetExceeded = because;
    surroundings.world.during(step, () => {
      lifecycle.dispatch({ type: 'cancel', reason: because });
      this.#handleAll();
    });
  }

  /** Handles all emitted events in order, and ends the turn when the flow has come to rest. */
  #handleAll(): void {
    const { working, flowRun } = this.#options;
    for (;;) {
      const emitted = working.emitted.shift();
      if (emitted) this.#handle(emitted);
      else if (!flowRun?.finishTurn()) return;
    }
  }

  #handle({ source, event }: EmittedEvent): void {
    const { working, flowRun, messages } = this.#options;
    const { id, state, step, spending } = working;
    step.events.push({ instance: id, ...ancestryOf(state), at: step.at, source, event });
    if (source === 'lifecycle') this.#lifecycleEvents.handle(event);
    else if (source === 'flow') {
      flowRun?.handleFlowEvent(event);
      const { lines, items } = failureLines(working.state.itemFailures, event);
      for (const line of lines) working.addSystemLine(withoutSecrets(line));
      if (items !== working.state.itemFailures) working.patch({ itemFailures: items });
      if (event.type === 'decision.notified') messages.notify(event);
      else if (event.type === 'start.requested') this.#startNext(event);
      else if (event.type === 'usage.recorded') spending.countReported(event);
    }
  }

  /** Starts another definition after the flow has ended. */
  #startNext({ key, start, input }: EventObject): void {
    const { working, surroundings } = this.#options;
    const id = childId(working.id, { key: String(key) });
    const definition = surroundings.definitionOf(String(start)) ?? String(start);
    working.outbox.add(`start:${id}`, { kind: 'start', id, definition, input: input as Json });
  }

  #result(): StepResult {
    const { working, flowRun } = this.#options;
    const { id, step, state, status, spending } = working;
    const report = (event: EventObject) =>
      step.events.push({ instance: id, ...ancestryOf(state), at: step.at, source: 'host', event });
    if (!working.ended) for (const event of this.#callEvents.take(step.events)) report(event);
    const linked = traceLinked(step.input);
    if (linked && !step.isRefused) report(linked);
    const { journal, transcript, isRefused, input, at } = step;
    working.patch({ ...flowRun?.state, ...spending.state });
    const taken = input.type === 'event.taken' ? input.event : undefined;
    if (taken && isListedAct(taken) && !isRefused) working.actedAt = at;
    if (working.state.claim)
      for (const { role, word } of transcript)
        if (word === undefined) working.attention = attentionAfterLine(working.attention, role, at);
    const owner = taken && isAct(taken) ? ownerAt(working.state.claim, at) : undefined;
    return {
      ...(isRefused ? {} : { lines: { journal, transcript } }),
      events: step.events,
      answer: step.refusal ?? {
        accepted: true,
        state: status,
        ...(owner && { owner }),
        ...(step.heard && { heard: step.heard }),
      },
    };
  }

  #hasFailed(): boolean {
    const { lifecycle, flowRun } = this.#options;
    const { failure_reason: reason } = lifecycle.context;
    if (typeof reason === 'string') return reason !== 'cancelled';
    return 'error' in (flowRun?.ending() ?? {});
  }

  /** Returns the changes of the steps since the last call. The cost does not depend on the number of steps. */
  takeChange(): StateChange {
    const { working, lifecycle, flowRun, calls, repeated, definitions } = this.#options;
    const { outbox, step } = working;
    const { toMake, waits } = calls.sorted();
    repeated.keepOnly((letter) => toMake.has(letter) || waits.has(letter));
    const letters = Array.from(toMake, ([letter, { call }]): [string, OutboxLetter] => [
      letter,
      { kind: 'call', port: call.port, at: step.at },
    ]);
    outbox.setCalls(new Map(letters));
    outbox.continues = flowRun?.pauses === true;
    const family = familyChanges({
      working,
      calls: calls.ofDefinitions(waits),
      lifecycle,
      lifecycleMachine: definitions.lifecycle.machine,
      flowRun,
    });
    const flow = flowRun?.snapshot();
    working.patch({
      lifecycle: { ...working.state.lifecycle, snapshot: lifecycle.snapshot() },
      ...(flow === undefined ? {} : { flow }),
      ...family,
    });
    const questions = calls.questions(waits).length;
    working.attention = attentionAfter({
      before: working.attention,
      at: step.at,
      ended: working.ended,
      hasFailed: working.ended && this.#hasFailed(),
      state: working.state,
      suspension: suspensionsOf(definitions.lifecycle.chart).get(working.status),
      questions,
      actedAt: working.actedAt,
    });
    return {
      updatedAt: step.at,
      status: working.status,
      ended: working.ended,
      state: working.state,
      timers: timersIn(waits),
      questions,
      attention: working.attention,
      ...outbox.takeChanges(),
    };
  }
}

function brokenLifecycle(id: string, cause: unknown): HostError {
  const reason = reasonOf(cause);
  return new HostError('host/damaged', `The lifecycle of ${JSON.stringify(id)} failed: ${reason}`, {
    cause,
  });
}

/** Events from outside for one task of a workflow, by its token. */
const taskEvents: ReadonlySet<string> = new Set([
  'task.succeeded',
  'task.failed',
  'task.heartbeat',
]);

/**
 * The refusal of an event when no task has its token. A task that accepts an event emits `task.accepted`; an event without a task
 * changes nothing.
 *
 * @param emitted the events of the step
 */
function refusalOfToken(
  { type, token }: EventObject,
  emitted: readonly HostEvent[],
): { readonly code: string; readonly because: string } | undefined {
  if (!taskEvents.has(type) || emitted.length > 0) return undefined;
  const because =
    typeof token === 'string'
      ? `No task waits with the token ${JSON.stringify(token)}. It was used before, its task has ended, or it is wrong.`
      : `The event "${type}" needs the "token" of a task.`;
  return { code: 'task/unknown-token', because };
}

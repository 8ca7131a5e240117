import type { Json } from '@dramaturg/compiler';
import { HostError } from '../errors.ts';
import type { MachineActor } from '../xstate/machine-actor.ts';
import { familyChanges } from './family-changes.ts';
import type { InstanceCalls } from './instance-calls.ts';
import type { InstanceMessages } from './instance-messages.ts';
import type { OutboxLetter } from './letter.ts';
import { LifecycleEvents } from './lifecycle-events.ts';
import type { Performance } from './performance.ts';
import { reasonOf } from './read.ts';
import type { ParentRef } from './state.ts';
import type { StepInput } from './step-input.ts';
import { StepRecord } from './step-record.ts';
import type { StepChange, StepResult } from './step-result.ts';
import type { Step } from './step-world.ts';
import type { LoadedDefinitions, Surroundings } from './surroundings.ts';
import { refusalOfToken } from './task-events.ts';
import type { EmittedEvent, WorkingState } from './working-state.ts';

/** The parts of an active instance. */
export interface StepEngineOptions {
  readonly working: WorkingState;
  readonly lifecycle: MachineActor;
  readonly performance: Performance | undefined;
  readonly calls: InstanceCalls;
  readonly messages: InstanceMessages;
  readonly definitions: LoadedDefinitions;
  readonly surroundings: Surroundings;
}

/**
 * Runs the steps of one instance: it feeds the input to a machine, handles the events that the machines emit until none
 * is left, and collects the result.
 */
export class StepEngine {
  readonly #options: StepEngineOptions;
  readonly #lifecycleEvents: LifecycleEvents;

  constructor(options: StepEngineOptions) {
    this.#options = options;
    const { working, lifecycle, performance, messages, definitions } = options;
    const flow = definitions.flow?.machine;
    this.#lifecycleEvents = new LifecycleEvents({
      working,
      lifecycle,
      performance,
      messages,
      flow,
    });
  }

  /** A step that begins now. A machine that runs items goes on asynchronously, and needs the world for itself. */
  async nextStep(): Promise<Step> {
    const { surroundings, definitions } = this.#options;
    const { world } = surroundings;
    if (definitions.flow?.machine.runsItems) await world.free();
    return world.step();
  }

  /** @param feed gives the input to a machine */
  async run(input: StepInput, step: Step, feed: () => void): Promise<StepResult> {
    const { working, lifecycle, performance, calls, surroundings } = this.#options;
    const { world } = surroundings;
    working.step = new StepRecord(step, input);
    const { parent } = working.state;
    const callsBefore = parent?.remainingBudget ? calls.thatSpend() : new Set<string>();
    world.during(step, () => {
      feed();
      this.#handleAll();
    });
    for (;;) {
      if (performance?.wantsMessages) {
        await performance.readMessages();
        world.during(step, () => this.#handleAll());
        continue;
      }
      const settling = performance?.settled();
      if (!settling) break;
      const before = working.step.events.length;
      await world.holding(step, settling);
      if (working.emitted.length === 0 && working.step.events.length === before) break;
      world.during(step, () => this.#handleAll());
    }
    if (input.type === 'event.taken' && !working.step.isRefused) {
      const problem = refusalOfToken(input.event, working.step.events);
      if (problem) working.refuse(problem);
    }
    if (parent?.remainingBudget) this.#endIfOverBudget(parent, step, callsBefore);
    if (lifecycle.status === 'error') throw brokenLifecycle(working.id, lifecycle.error);
    return this.#result();
  }

  /** Ends a child that wants to make another call when its budget is used up. */
  #endIfOverBudget(parent: ParentRef, step: Step, callsBefore: ReadonlySet<string>): void {
    const { working, lifecycle, calls, surroundings } = this.#options;
    const because = working.spending.exceeded(parent);
    if (because === undefined) return;
    if ([...calls.thatSpend()].every((letter) => callsBefore.has(letter))) return;
    working.step.budgetExceeded = because;
    surroundings.world.during(step, () => {
      lifecycle.dispatch({ type: 'cancel', reason: because });
      this.#handleAll();
    });
  }

  /** Handles all emitted events in order, and ends the turn when the flow has come to rest. */
  #handleAll(): void {
    const { working, performance } = this.#options;
    for (;;) {
      const emitted = working.emitted.shift();
      if (emitted) this.#handle(emitted);
      else if (!performance?.finishTurn()) return;
    }
  }

  #handle({ source, event }: EmittedEvent): void {
    const { working, performance, messages } = this.#options;
    const { id, state, step, spending } = working;
    const { parent } = state;
    const ancestry = parent ? { within: parent.ancestors } : {};
    step.events.push({ instance: id, ...ancestry, at: step.at, source, event });
    if (source === 'lifecycle') this.#lifecycleEvents.handle(event);
    else if (source === 'flow') {
      performance?.handleFlowEvent(event);
      if (event.type === 'decision.notified') messages.notify(event);
      else if (event.type === 'usage.recorded') spending.countReported(event);
    }
  }

  #result(): StepResult {
    const { step, status } = this.#options.working;
    return {
      ...(step.isRefused ? {} : { change: this.#change() }),
      events: step.events,
      answer: step.refusal ?? { accepted: true, state: status },
    };
  }

  #change(): StepChange {
    const { working, lifecycle, performance, calls, definitions } = this.#options;
    const { outbox, spending, step } = working;
    const toMake = Array.from(calls.toMake(), ([letter, { call }]): [string, OutboxLetter] => [
      letter,
      { kind: 'call', port: call.port },
    ]);
    outbox.setCalls(new Map(toMake));
    const lifecycleMachine = definitions.lifecycle.machine;
    const family = familyChanges({ working, calls, lifecycle, lifecycleMachine, performance });
    const flow = performance?.snapshot();
    working.patch({
      ...performance?.state,
      ...spending.state,
      lifecycle: { ...working.state.lifecycle, snapshot: lifecycle.snapshot() },
      ...(flow === undefined ? {} : { flow }),
      ...family,
    });
    return {
      updatedAt: step.at,
      status: working.status,
      ended: working.ended,
      snapshot: working.state as unknown as Json,
      timers: calls.timers(),
      questions: calls.questions().length,
      ...outbox.takeChanges(),
      journal: step.journal,
      transcript: step.transcript,
    };
  }
}

function brokenLifecycle(id: string, cause: unknown): HostError {
  const reason = reasonOf(cause);
  return new HostError('host/damaged', `The lifecycle of ${JSON.stringify(id)} failed: ${reason}`, {
    cause,
  });
}

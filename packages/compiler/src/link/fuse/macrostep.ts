import type { AnyActorRef } from 'xstate';
import type { Json } from '../../json.ts';
import type { EventObject, Scope } from '../behaviour.ts';
import type { Branch, BranchTransition, Branches, LinkedParts } from './branch.ts';
import type { BoundNode, LinkedCall } from './microstep.ts';
import { type BoundAction, Execution } from './execution.ts';

/** A call that a step makes. The actor is created once everything is decided. */
export class CallStart {
  readonly call: LinkedCall;
  readonly input: unknown;
  actor: AnyActorRef | undefined;

  constructor(call: LinkedCall, input: unknown) {
    this.call = call;
    this.input = input;
  }
}

/** An effect of a step on other actors, in XState's order. */
export type Deferred =
  | { readonly emit: EventObject[] }
  | { readonly stop: AnyActorRef }
  | { readonly start: CallStart };

type Children = Readonly<Record<string, AnyActorRef | CallStart>>;

/** The decided result of a step. Nothing is carried out yet. */
export interface StepResult {
  readonly branch: Branch;
  readonly context: Scope['context'];
  readonly children: Children;
  readonly deferred: readonly Deferred[];
  /** XState would make a new snapshot. */
  readonly isChange: boolean;
  /** The step is not over: another part of it begins here. */
  readonly cut: Cut | undefined;
  readonly end: { readonly output: Json } | undefined;
}

/** The place at which a long step is cut. No event is raised there. */
export interface Cut {
  readonly event: unknown;
  /** How many microsteps the step has taken. */
  readonly microsteps: number;
}

/** The state of an actor between two steps. */
interface Rest {
  readonly branch: Branch;
  readonly context: Scope['context'];
  readonly children: Readonly<Record<string, AnyActorRef>>;
}

/**
 * One step of an actor, decided like XState's macrostep: an event, then transitions without an event and raised events, until the
 * actor rests. The branches already know what XState computes in each microstep.
 *
 * `first` and `next` return undefined for a step that XState has to take itself. They have no side effects.
 */
export class Macrostep {
  readonly #parts: LinkedParts;
  readonly #execution: Execution;
  readonly #raised: EventObject[] = [];
  readonly #deferred: Deferred[] = [];
  #branch: Branch;
  #children: Children;
  #end: StepResult['end'];
  #isChange = false;
  /** A transition does not lead to a branch, something is sent to a call, or two calls have the same id. */
  #isForXState = false;
  #microsteps: number;

  private constructor(
    parts: LinkedParts,
    { branch, context, children }: Rest,
    event: unknown,
    microsteps = 0,
  ) {
    this.#microsteps = microsteps;
    this.#parts = parts;
    this.#branch = branch;
    this.#execution = new Execution({ context, event }, parts.surroundings);
    this.#children = children;
  }

  /** The step that begins an actor. */
  static first(
    { parts, first: branch }: Branches,
    start: () => Pick<Scope, 'context' | 'event'>,
  ): StepResult | undefined {
    if (!branch) return undefined;
    const { context, event } = start();
    const step = new Macrostep(parts, { branch, context, children: {} }, event);
    step.#enter(branch.nodes.toReversed(), branch);
    return step.#settle();
  }

  /** The step of an event. */
  static next({ parts }: Branches, rest: Rest, event: EventObject): StepResult | undefined {
    const { type } = event;
    if (type === 'xstate.init' || type === 'xstate.stop') return undefined;
    const step = new Macrostep(parts, rest, event);
    const taken = step.#choice(rest.branch.transitionsFor(type));
    if (taken) step.#take(taken);
    // XState ends an actor that does not handle the failure of a call.
    else if (type.startsWith('xstate.error.actor')) return undefined;
    return step.#settle();
  }

  /** The next part of a step that was cut. */
  static goOn({ parts }: Branches, rest: Rest, { event, microsteps }: Cut): StepResult | undefined {
    return new Macrostep(parts, rest, event, microsteps).#settle();
  }

  #settle(): StepResult | undefined {
    const { microstepsMax, microstepsPerPart } = this.#parts;
    const partEnd = this.#microsteps + microstepsPerPart;
    let cut: Cut | undefined;
    let isChanged = true;
    for (; !this.#end && !this.#isForXState; this.#microsteps += 1) {
      if (this.#microsteps === microstepsMax) return undefined;
      if (this.#microsteps >= partEnd && isChanged && this.#raised.length === 0) {
        cut = { event: this.#execution.scope.event, microsteps: this.#microsteps };
        break;
      }
      // A transition without an event is taken again only after a change.
      const taken = isChanged ? this.#choice(this.#branch.always) : undefined;
      if (taken) {
        isChanged = this.#take(taken);
        continue;
      }
      const event = this.#raised.shift();
      if (!event) break;
      isChanged = true;
      this.#execution.receive(event);
      const answer = this.#choice(this.#branch.transitionsFor(event.type));
      if (answer) this.#take(answer);
    }
    if (this.#end) this.#stopAll();
    if (this.#isForXState) return undefined;
    return {
      branch: this.#branch,
      context: this.#execution.context,
      children: this.#children,
      deferred: this.#deferred,
      isChange: this.#isChange,
      cut,
      end: this.#end,
    };
  }

  #choice(transitions: readonly BranchTransition[] | undefined): BranchTransition | undefined {
    if (transitions) return this.#execution.choice(transitions);
    this.#isForXState = true;
    return undefined;
  }

  /** @returns whether XState would make a new snapshot */
  #take({ steps, microstep: { left, entered, to, isChange } }: BranchTransition): boolean {
    const before = this.#execution.context;
    this.#leave(left);
    this.#execute(steps);
    this.#enter(entered, to);
    const isChanged = isChange || this.#execution.context !== before;
    this.#isChange ||= isChanged;
    return isChanged;
  }

  #leave(nodes: readonly BoundNode[]): void {
    for (const { exit, calls } of nodes) {
      this.#execute(exit);
      for (const { id } of calls) {
        const child = this.#children[id];
        this.#children = without(this.#children, id);
        if (child && !(child instanceof CallStart)) this.#deferred.push({ stop: child });
      }
    }
  }

  #enter(nodes: readonly BoundNode[], branch: Branch): void {
    for (const { entry, calls, doneEvent, isEnd } of nodes) {
      this.#execute(entry);
      for (const call of calls) {
        const start = new CallStart(call, call.input(this.#execution.scope));
        this.#isForXState ||= Object.hasOwn(this.#children, call.id);
        this.#children = { ...this.#children, [call.id]: start };
        this.#deferred.push({ start });
      }
      if (doneEvent !== undefined) this.#raised.push({ type: doneEvent, output: undefined });
      if (isEnd) this.#end = { output: this.#parts.output(this.#execution.scope) };
    }
    this.#branch = branch;
    // XState leaves all nodes of an actor that is done.
    if (this.#end) for (const { exit } of branch.nodes) this.#execute(exit);
  }

  /** The children of an actor that is done stay in its snapshot. */
  #stopAll(): void {
    for (const child of Object.values(this.#children)) {
      if (child instanceof CallStart) this.#isForXState = true;
      else this.#deferred.push({ stop: child });
    }
  }

  #execute(steps: readonly BoundAction[]): void {
    if (steps.length === 0) return;
    this.#execution.execute(steps);
    const { effects } = this.#execution;
    for (const { raise, emit, send } of effects) {
      if (raise) for (const event of raise) this.#raised.push(event);
      if (emit && emit.length > 0) this.#emit(emit);
      if (send && send.length > 0) this.#isForXState = true;
    }
    effects.length = 0;
  }

  #emit(events: readonly EventObject[]): void {
    const last = this.#deferred.at(-1);
    if (last && 'emit' in last) for (const event of events) last.emit.push(event);
    else this.#deferred.push({ emit: [...events] });
  }
}

function without(children: Children, id: string): Children {
  const others: Record<string, AnyActorRef | CallStart> = {};
  for (const key of Object.keys(children)) if (key !== id) others[key] = children[key]!;
  return others;
}

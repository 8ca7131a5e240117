import type { ChartTransition, Reference } from '../../chart/chart.ts';
import type { GraphNode } from '../../chart/graph.ts';
import { DramaturgError } from '../../error.ts';
import type { Action, Behaviour, Effects, Guard, Scope } from '../behaviour.ts';
import type { Run, Transient, TransientTransition } from './plan.ts';

/** Executes actions one after another, and holds the context and the effects so far. */
export class Execution {
  context: Scope['context'];
  /** Effects other than context changes, in order. */
  readonly effects: Effects[] = [];
  readonly #patches: object[] = [];
  #scope: Scope | undefined;
  #event: unknown;
  readonly #surroundings: Pick<Scope, 'meta' | 'world'>;

  constructor(
    { context, event }: Pick<Scope, 'context' | 'event'>,
    surroundings: Pick<Scope, 'meta' | 'world'>,
  ) {
    this.context = context;
    this.#event = event;
    this.#surroundings = surroundings;
  }

  /** Only the changed fields of the context: another region may change other fields in the same step. */
  get patch(): object | undefined {
    const [first, ...more] = this.#patches;
    return more.reduce((patch, each) => ({ ...patch, ...each }), first);
  }

  /** Reused until the context changes, because most nodes of a run only read it. */
  get scope(): Scope {
    const { meta, world } = this.#surroundings;
    return (this.#scope ??= { context: this.context, event: this.#event, meta, world });
  }

  /** The next event of the same step. */
  receive(event: unknown): void {
    this.#event = event;
    this.#scope = undefined;
  }

  execute(steps: readonly BoundAction[]): void {
    for (const { action, params } of steps) {
      const decided = action(this.scope, params);
      const { context, raise, emit, send } = decided;
      if (context) {
        this.context = { ...this.context, ...context };
        this.#scope = undefined;
        this.#patches.push(context);
      }
      if (raise || emit || send) this.effects.push(decided);
    }
  }

  /** The first of some transitions whose guard holds. */
  choice<Taken extends PreparedTransition>(transitions: readonly Taken[]): Taken | undefined {
    const { scope } = this;
    for (const transition of transitions)
      if (!transition.holds || transition.holds(scope, transition.params)) return transition;
    return undefined;
  }
}

/** An action bound to code. */
export interface BoundAction {
  readonly action: Action;
  readonly params: unknown;
}

/** A transition bound to code. */
export interface PreparedTransition {
  readonly holds: Guard | undefined;
  readonly params: unknown;
  /** The actions to execute when it is taken. */
  readonly steps: readonly BoundAction[];
}

/** A run passed through a million states without waiting for an event. */
export class EndlessRunError extends DramaturgError<'link/endless-run'> {
  override readonly name = 'EndlessRunError';

  /** @param last the key of the node that the run reached */
  constructor(last: string) {
    super(
      'link/endless-run',
      `The machine passed through ${mostSteps} states without waiting for anything, last "${last}". They lead to each other in an endless loop.`,
    );
  }
}

const mostSteps = 1_000_000;

/** Executes the runs of a chart. Each transient node is bound to code once, even if it is part of several runs. */
export class Runner {
  readonly #behaviour: Behaviour;
  readonly #prepared = new Map<Transient, PreparedNode>();

  constructor(behaviour: Behaviour) {
    this.#behaviour = behaviour;
  }

  /**
   * Executes a run, as long as it stays in the nodes of `through`.
   *
   * @returns the target of the transition that ends the run
   * @throws EndlessRunError after a million states
   */
  run(execution: Execution, { first, through }: Run): GraphNode {
    let at = first;
    for (let count = 0; count < mostSteps; count += 1) {
      const { entry, transitions } = this.#prepare(at);
      execution.execute(entry);
      const taken = execution.choice(transitions)!;
      execution.execute(taken.steps);
      const { next, target } = taken.transition;
      if (!next || !through.has(next)) return target;
      at = next;
    }
    throw new EndlessRunError(at.node.key);
  }

  prepareTransition(
    { guard, actions = [] }: ChartTransition,
    exit: readonly Reference[] = [],
  ): PreparedTransition {
    return {
      holds: guard && this.#behaviour.guards[guard.type]!,
      params: guard?.params ?? {},
      steps: this.bindActions([...exit, ...actions]),
    };
  }

  bindActions(references: readonly Reference[] = []): readonly BoundAction[] {
    return references.map(({ type, params = {} }) => ({
      action: this.#behaviour.actions[type]!,
      params,
    }));
  }

  #prepare(transient: Transient): PreparedNode {
    const known = this.#prepared.get(transient);
    if (known) return known;
    const { entry, exit } = transient.node.node;
    const prepared = {
      entry: this.bindActions(entry),
      transitions: transient.transitions.map((transition) => ({
        transition,
        ...this.prepareTransition(transition.edge.transition, exit),
      })),
    };
    this.#prepared.set(transient, prepared);
    return prepared;
  }
}

/** A transient node with its names bound to code. */
interface PreparedNode {
  readonly entry: readonly BoundAction[];
  readonly transitions: readonly (PreparedTransition & {
    readonly transition: TransientTransition;
  })[];
}

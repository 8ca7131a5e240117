import type { ChartTransition, Reference } from '../../chart/chart.ts';
import type { GraphNode } from '../../chart/graph.ts';
import { DramaturgError } from '../../error.ts';
import type { Action, Behaviour, Effects, Guard, Scope } from '../behaviour.ts';
import type { Run } from './plan.ts';
import type { Transient, TransientTransition } from './transient.ts';

/** What is carried out one after another, and what has come of it. */
export class Execution {
  context: Scope['context'];
  /** What actions decided besides, in order. */
  readonly effects: Effects[] = [];
  readonly #patches: object[] = [];
  #scope: Scope | undefined;
  readonly #event: unknown;
  readonly #surroundings: Pick<Scope, 'meta' | 'world'>;

  constructor(
    { context, event }: Pick<Scope, 'context' | 'event'>,
    surroundings: Pick<Scope, 'meta' | 'world'>,
  ) {
    this.context = context;
    this.#event = event;
    this.#surroundings = surroundings;
  }

  /** The fields of the context that are changed, and no others: another region may change those in the same step. */
  get patch(): object | undefined {
    const [first, ...more] = this.#patches;
    return more.reduce((patch, each) => ({ ...patch, ...each }), first);
  }

  /** The same until something is changed: most nodes of a run only look. */
  get scope(): Scope {
    const { meta, world } = this.#surroundings;
    return (this.#scope ??= { context: this.context, event: this.#event, meta, world });
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
  /** What is carried out when it is taken. */
  readonly steps: readonly BoundAction[];
}

/** A run passed through a million states without waiting for an event. */
export class EndlessRunError extends DramaturgError<'link/endless-run'> {
  override readonly name = 'EndlessRunError';

  /** @param last key of the node that the run had reached */
  constructor(last: string) {
    super(
      'link/endless-run',
      `After ${mostSteps} states, the last of them "${last}", nothing has been waited for: they lead on to each other without end.`,
    );
  }
}

const mostSteps = 1_000_000;

/** Works out the runs of a chart. Each transient node is prepared once, whatever the number of runs it is part of. */
export class Runner {
  readonly #behaviour: Behaviour;
  readonly #prepared = new Map<Transient, PreparedNode>();

  constructor(behaviour: Behaviour) {
    this.#behaviour = behaviour;
  }

  /**
   * Goes through transient nodes, as long as they are among the given ones.
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

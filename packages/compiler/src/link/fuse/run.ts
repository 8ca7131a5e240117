import type { Reference } from '../../chart/chart.ts';
import type { GraphNode } from '../../chart/graph.ts';
import type { Action, Behaviour, Effects, Guard, Scope } from '../behaviour.ts';
import type { Plan } from './plan.ts';
import type { Transient, Way } from './transient.ts';

/** What a run comes to. */
export interface Outcome {
  /** The target of its last transition. */
  readonly end: GraphNode;
  /** The fields of the context that it changes, and no others: another region may change those in the same step. */
  readonly patch: object | undefined;
  /** What its actions decided besides, in order. */
  readonly effects: readonly Effects[];
}

/** A run went through so many states that it seems never to come to rest. */
export class EndlessRunError extends Error {
  override readonly name = 'EndlessRunError';
  readonly code = 'link/endless-run';
}

const mostSteps = 1_000_000;

/** Works out the runs of a chart. Each transient node is prepared once, whatever the number of plans it is part of. */
export class Runner {
  readonly #behaviour: Behaviour;
  readonly #surroundings: Pick<Scope, 'meta' | 'world'>;
  readonly #prepared = new Map<Transient, Prepared>();
  readonly #actions = new Map<Plan, readonly Step[]>();

  constructor(behaviour: Behaviour, surroundings: Pick<Scope, 'meta' | 'world'>) {
    this.#behaviour = behaviour;
    this.#surroundings = surroundings;
  }

  /**
   * Takes the transition of a plan, and those of the transient nodes it leads to, until the run ends.
   *
   * @throws EndlessRunError after a million states
   */
  run(plan: Plan, given: Pick<Scope, 'context' | 'event'>): Outcome {
    const { event } = given;
    const { meta, world } = this.#surroundings;
    let { context } = given;
    let patch: object | undefined;
    const effects: Effects[] = [];
    const carryOut = (steps: readonly Step[]) => {
      for (const { action, params } of steps) {
        const decided = action({ context, event, meta, world }, params);
        if (decided.context) {
          context = { ...context, ...decided.context };
          patch = patch ? { ...patch, ...decided.context } : decided.context;
        }
        if (decided.raise || decided.emit || decided.send) effects.push(decided);
      }
    };
    carryOut(this.#actionsOf(plan));
    let at = plan.first;
    for (let count = 0; count < mostSteps; count += 1) {
      const { entry, ways } = this.#prepare(at);
      carryOut(entry);
      const { steps, way } = taken(ways, { context, event, meta, world });
      carryOut(steps);
      if (!way.next || !plan.through.has(way.next)) return { end: way.target, patch, effects };
      at = way.next;
    }
    throw new EndlessRunError(
      `After ${mostSteps} states, the last of them "${at.node.key}", nothing has been waited for: they lead on to each other without end.`,
    );
  }

  #actionsOf(plan: Plan): readonly Step[] {
    let steps = this.#actions.get(plan);
    if (!steps) this.#actions.set(plan, (steps = this.#steps(plan.edge.transition.actions)));
    return steps;
  }

  #prepare(transient: Transient): Prepared {
    const known = this.#prepared.get(transient);
    if (known) return known;
    const { entry, exit = [] } = transient.node.node;
    const prepared = {
      entry: this.#steps(entry),
      ways: transient.ways.map((way) => {
        const { guard, actions = [] } = way.edge.transition;
        return {
          way,
          holds: guard && this.#behaviour.guards[guard.type]!,
          params: guard?.params ?? {},
          steps: this.#steps([...exit, ...actions]),
        };
      }),
    };
    this.#prepared.set(transient, prepared);
    return prepared;
  }

  #steps(references: readonly Reference[] = []): readonly Step[] {
    return references.map(({ type, params = {} }) => ({
      action: this.#behaviour.actions[type]!,
      params,
    }));
  }
}

interface Step {
  readonly action: Action;
  readonly params: unknown;
}

/** A transient node with its names bound to code. */
interface Prepared {
  readonly entry: readonly Step[];
  readonly ways: readonly PreparedWay[];
}

interface PreparedWay {
  readonly way: Way;
  readonly holds: Guard | undefined;
  readonly params: unknown;
  /** What is carried out when the node is left this way. */
  readonly steps: readonly Step[];
}

function taken(ways: readonly PreparedWay[], scope: Scope): PreparedWay {
  for (const way of ways) if (!way.holds || way.holds(scope, way.params)) return way;
  throw new Error('The last transition of a transient node has no guard.');
}

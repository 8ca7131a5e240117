import type { ChartTransition, Reference } from '../../chart/chart.ts';
import type { Action, Behaviour, Effects, Guard, Scope } from '../behaviour.ts';

/** Executes actions one after another, and holds the context and the effects so far. */
export class Execution {
  context: Scope['context'];
  /** Effects other than context changes, in order. */
  readonly effects: Effects[] = [];
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

  /** Reused until the context changes, because most guards and actions only read it. */
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
      }
      if (raise || emit || send) this.effects.push(decided);
    }
  }

  /** The first of some transitions whose guard holds. */
  choice<Taken extends BoundTransition>(transitions: readonly Taken[]): Taken | undefined {
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
export interface BoundTransition {
  readonly holds: Guard | undefined;
  readonly params: unknown;
  /** The actions to execute when it is taken. */
  readonly steps: readonly BoundAction[];
}

/** Binds guards and actions of a chart to code. */
export class CodeBinder {
  readonly #behaviour: Behaviour;

  constructor(behaviour: Behaviour) {
    this.#behaviour = behaviour;
  }

  transition({ guard, actions }: ChartTransition): BoundTransition {
    return {
      holds: guard && this.#behaviour.guards[guard.type]!,
      params: guard?.params ?? {},
      steps: this.actions(actions),
    };
  }

  actions(references: readonly Reference[] = []): readonly BoundAction[] {
    return references.map(({ type, params = {} }) => ({
      action: this.#behaviour.actions[type]!,
      params,
    }));
  }
}

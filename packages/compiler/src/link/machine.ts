/* oxlint-disable typescript/no-explicit-any -- As in XState's AnyStateMachine. */
import {
  type AnyActorLogic,
  type AnyActorRef,
  type AnyStateMachine,
  createActor,
  type Snapshot,
  StateMachine,
} from 'xstate';
import type { AgentRole } from './behaviour.ts';
import { type AnyScope, emitLater } from './effects.ts';
import type { StepResult, RestNode, Shortcuts } from './fuse/shortcut.ts';

/** The snapshot of a machine, as far as a step looks at it. */
type MachineSnapshot = Snapshot<unknown> & {
  readonly value: string | object;
  readonly context: object;
  readonly children: Readonly<Record<string, AnyActorRef>>;
};

interface PersistedChild {
  readonly snapshot: unknown;
  readonly src: unknown;
  readonly systemId: unknown;
  readonly syncSnapshot: false;
}

type PersistedChildren = Readonly<Record<string, PersistedChild>>;

/** XState's class without types, because a machine is known only once it is linked. */
const AnyMachine = StateMachine as unknown as new (
  config: object,
  implementations: object,
) => AnyStateMachine;

/**
 * XState's machine of a chart, with a fast path for most steps: link time already knows which nodes such a step leaves and
 * enters, which XState would compute again, with a new snapshot at each microstep. All other steps are XState's own. The
 * snapshots are the same. An inspector does not see the microsteps and actions of a fast step.
 *
 * Owns three caches: the snapshot patterns of rests, the rests of state values, and the stored forms of snapshots. Nothing
 * in it depends on an actor, so all actors of a machine share it. Guards and actions are bound by `link`; `provide` is for actors.
 */
export class LinkedMachine extends AnyMachine {
  readonly #shortcuts: Shortcuts | undefined;
  /** The snapshot at each rest, without context and children. */
  readonly #patterns = new Map<RestNode, MachineSnapshot>();
  /** By the state values of those snapshots. */
  readonly #rests = new Map<unknown, RestNode>();
  /** The stored forms of snapshots. */
  readonly #persisted = new WeakMap<object, { readonly children: PersistedChildren }>();

  /** How the definition runs as an agent of another one; undefined when the data of the call is the input as it is. */
  readonly agent: AgentRole | undefined;

  constructor(
    config: object,
    implementations: object,
    { shortcuts, agent }: { readonly shortcuts?: Shortcuts; readonly agent?: AgentRole } = {},
  ) {
    super(config, implementations);
    this.#shortcuts = shortcuts;
    this.agent = agent;
  }

  /** Merges like XState, whose own method would construct another machine first. */
  override provide(given: any): LinkedMachine {
    const { actions, guards, actors, delays } = this.implementations;
    const merged = {
      actions: { ...actions, ...given.actions },
      guards: { ...guards, ...given.guards },
      actors: { ...actors, ...given.actors },
      delays: { ...delays, ...given.delays },
    };
    return new LinkedMachine(this.config, merged, {
      ...(this.#shortcuts && { shortcuts: this.#shortcuts }),
      ...(this.agent && { agent: this.agent }),
    });
  }

  override getInitialSnapshot(scope: AnyScope, input?: unknown): any {
    const result = this.#firstStep(input);
    if (result) return this.#snapshotAfter(result, {}, scope);
    return super.getInitialSnapshot(scope, input);
  }

  /** Starts invoked actors after the events of the step are emitted. */
  override start(snapshot: any, scope?: AnyScope): void {
    if (scope) scope.defer(() => super.start(snapshot));
    else super.start(snapshot);
  }

  override transition(snapshot: MachineSnapshot, event: any, scope: AnyScope): any {
    const result = this.#nextStep(snapshot, event);
    if (result) return this.#snapshotAfter(result, snapshot.children, scope);
    return super.transition(snapshot as never, event, scope);
  }

  /**
   * Works like XState, but does not search the context for actors: a chart's context is JSON and contains none. While
   * neither the actor nor its children have changed, the result is the same object.
   */
  override getPersistedSnapshot(snapshot: any, options?: unknown): any {
    const { status, output, error, value, context, historyValue } = snapshot;
    const before = this.#persisted.get(snapshot);
    const children = persistedChildren(snapshot.children, before?.children, options);
    if (before && children === before.children) return before;
    const persisted = {
      status,
      output,
      error,
      value,
      historyValue: mapValues(historyValue as Record<string, { id: string }[]>, (nodes) =>
        nodes.map(({ id }) => ({ id })),
      ),
      context,
      children,
    };
    this.#persisted.set(snapshot, persisted);
    return persisted;
  }

  /**
   * Works like XState, but keeps the context as it is. XState would replace everything in it that looks like a reference to
   * an actor, also data from outside (H8).
   */
  override restoreSnapshot(snapshot: any, scope: any): any {
    const restored: any = super.restoreSnapshot({ ...snapshot, context: {} } as never, scope);
    restored.context = snapshot.context;
    return restored;
  }

  /** The result of the first step; undefined when it is not a fast one. */
  #firstStep(input: unknown): StepResult | undefined {
    if (!this.#shortcuts) return undefined;
    const { context } = this.config as unknown as { context: (start: object) => object };
    try {
      return this.#shortcuts.begin(() => ({
        context: { ...context({ input }) },
        event: { type: 'xstate.init', input },
      }));
    } catch {
      // XState runs into the same error and handles it.
      return undefined;
    }
  }

  /** The result of an event; undefined when the step is not a fast one. */
  #nextStep(
    { status, value, context, children }: MachineSnapshot,
    event: any,
  ): StepResult | undefined {
    if (!this.#shortcuts || status !== 'active') return undefined;
    const rest = this.#rests.get(value) ?? this.#shortcuts.restAt(value);
    if (!rest || !areOf(children, rest)) return undefined;
    try {
      return this.#shortcuts.next(rest, { context, event });
    } catch {
      // XState runs into the same error and handles it.
      return undefined;
    }
  }

  /** Carries out a step in XState's order: stop calls, emit events, invoke calls. */
  #snapshotAfter(
    result: StepResult,
    before: MachineSnapshot['children'],
    scope: AnyScope,
  ): MachineSnapshot {
    const { rest, context, emits, inputs, output } = result;
    for (const id of Object.keys(before)) {
      const child = before[id]!;
      if (child.getSnapshot().status === 'active') scope.defer(() => scope.stopChild(child));
    }
    if (emits.length > 0) emitLater(emits, scope);
    const children: Record<string, AnyActorRef> = {};
    const pattern = this.#patternOf(rest);
    if (rest.isFinal) return { ...pattern, status: 'done', context, children, output } as never;
    rest.calls.forEach(({ id, src }, index) => {
      const logic = this.implementations.actors[src] as AnyActorLogic;
      const options = { id, src, parent: scope.self, syncSnapshot: false, input: inputs[index] };
      const child = createActor(logic, options as object);
      children[id] = child;
      scope.defer(() => child.start());
    });
    return { ...pattern, context, children };
  }

  #patternOf(rest: RestNode): MachineSnapshot {
    const known = this.#patterns.get(rest);
    if (known) return known;
    const pattern = this.resolveState({ value: rest.value as never, context: {} });
    this.#patterns.set(rest, pattern as never);
    this.#rests.set(pattern.value, rest);
    return pattern as never;
  }
}

/** The snapshots of child actors to store; those from before when none has changed. */
function persistedChildren(
  children: MachineSnapshot['children'],
  before: PersistedChildren | undefined,
  options: unknown,
): PersistedChildren {
  let isSame = before !== undefined;
  const persisted = mapValues(children, (child: any): PersistedChild => {
    const snapshot = child.getPersistedSnapshot(options);
    isSame &&= before![child.id]?.snapshot === snapshot;
    // A chart never listens to snapshots of its calls.
    return { snapshot, src: child.src, systemId: child.systemId, syncSnapshot: false };
  });
  return isSame ? before! : persisted;
}

/** Whether all child actors are calls of the node. */
function areOf(children: MachineSnapshot['children'], { calls }: RestNode): boolean {
  for (const id of Object.keys(children)) if (!calls.some((call) => call.id === id)) return false;
  return true;
}

function mapValues<Value, Mapped>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value) => Mapped,
): Record<string, Mapped> {
  const mapped: Record<string, Mapped> = {};
  for (const key of Object.keys(record)) mapped[key] = map(record[key]!);
  return mapped;
}

/** How a linked machine runs as an agent of another definition; undefined when its format does not say. */
export function agentRoleOf(machine: AnyStateMachine): AgentRole | undefined {
  return machine instanceof LinkedMachine ? machine.agent : undefined;
}

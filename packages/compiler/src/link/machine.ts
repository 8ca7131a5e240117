/* oxlint-disable typescript/no-explicit-any -- As in XState's AnyStateMachine. */
import {
  type AnyActorLogic,
  type AnyActorRef,
  type AnyStateMachine,
  type AnyStateNode,
  createActor,
  type Snapshot,
  StateMachine,
} from 'xstate';
import type { ChartTransition } from '../chart/chart.ts';
import type { GraphNode } from '../chart/graph.ts';
import type { AgentRole, EventObject } from './behaviour.ts';
import type { AnyScope } from './effects.ts';
import type { Branch, Branches } from './fuse/branch.ts';
import { descriptors } from './fuse/descriptors.ts';
import {
  CallStart,
  type Cut,
  type Deferred,
  Macrostep,
  type StepResult,
} from './fuse/macrostep.ts';
import { type ConfigOf, LazyIds, LazyNode } from './lazy-node.ts';

/** The parts of a machine's snapshot that a step reads. */
type MachineSnapshot = Snapshot<unknown> & {
  readonly machine: AnyStateMachine;
  readonly value: string | object;
  readonly context: object;
  readonly children: Readonly<Record<string, AnyActorRef>>;
  readonly historyValue: object;
};

interface PersistedChild {
  readonly snapshot: unknown;
  readonly src: unknown;
  readonly systemId: unknown;
  readonly syncSnapshot: false;
}

interface LinkedParts {
  readonly nodes: readonly GraphNode[];
  readonly configOf: ConfigOf;
  readonly branches?: Branches;
  readonly agent?: AgentRole;
  readonly emitsToParent?: boolean;
}

type PersistedChildren = Readonly<Record<string, PersistedChild>>;

/** Continues a step that was cut. */
export const goOnEvent = { type: 'machine.goOn' } as const;

/** XState's class without types, because a machine's types are known only after linking. */
const AnyMachine = StateMachine as unknown as new (
  config: object,
  implementations: object,
) => AnyStateMachine;

/**
 * XState's machine of a chart, with a fast path for steps in which no active node is parallel: each node and transition is bound
 * to code once, and the result of each microstep is computed only the first time. XState itself takes all other steps. The
 * snapshots are the same. An inspector does not see the microsteps and actions of a fast step.
 *
 * Owns three caches: the snapshot patterns of branches, the branches of state values, and the stored forms of snapshots. Nothing
 * in it depends on an actor, so all actors of a machine share it. Guards and actions are bound by `link`; `provide` is for
 * actors.
 */
export class LinkedMachine extends AnyMachine {
  readonly #nodes: readonly GraphNode[];
  readonly #configOf: ConfigOf;
  readonly #branches: Branches | undefined;
  /** The snapshot of each branch, without context and children. */
  readonly #patterns = new Map<Branch, MachineSnapshot>();
  /** By the state values of those snapshots. */
  readonly #byValue = new Map<unknown, Branch>();
  /** The stored forms of snapshots. */
  readonly #persisted = new WeakMap<object, { readonly children: PersistedChildren }>();

  /** How the definition runs as an agent of another one; undefined when the call's input is passed unchanged. */
  readonly agent: AgentRole | undefined;
  readonly #emitsToParent: boolean;
  /** The snapshots at which a step was cut. */
  readonly #cuts = new WeakMap<object, Cut>();
  /** The events of cut steps that XState ends. */
  readonly #rests = new WeakSet<object>();
  #events: readonly string[] | undefined;

  constructor(
    implementations: object,
    { nodes, configOf, branches, agent, emitsToParent = false }: LinkedParts,
  ) {
    const config = configOf(nodes[0]!) as AnyStateMachine['config'] & { options: object };
    const { id, version, options } = config;
    super({ id, version, options }, implementations);
    this.config = config;
    const idMap = new LazyIds(nodes, () => this.root);
    Object.assign(this, { idMap });
    this.root = new LazyNode(nodes[0]!, configOf, this) as AnyStateNode as AnyStateMachine['root'];
    Object.defineProperties(this, {
      states: { get: () => this.root.states },
      events: { get: () => (this.#events ??= eventsOf(nodes)) },
    });
    this.#nodes = nodes;
    this.#configOf = configOf;
    this.#branches = branches;
    this.agent = agent;
    this.#emitsToParent = emitsToParent;
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
    return this.#with(merged, this.#emitsToParent);
  }

  /** The machine, whose parent actor also receives the events that it emits. */
  emittingToParent(): LinkedMachine {
    return this.#with(this.implementations, true);
  }

  #with(implementations: object, emitsToParent: boolean): LinkedMachine {
    return new LinkedMachine(implementations, {
      nodes: this.#nodes,
      configOf: this.#configOf,
      ...(this.#branches && { branches: this.#branches }),
      ...(this.agent && { agent: this.agent }),
      emitsToParent,
    });
  }

  override getInitialSnapshot(given: AnyScope, input?: unknown): any {
    const scope = this.#scopeOf(given);
    const result = this.#firstStep(input);
    if (!result) return this.#repeat(() => super.getInitialSnapshot(scope, input));
    const snapshot = this.#snapshotOf(result, {}, scope);
    if (result.cut) this.#cuts.set(snapshot, result.cut);
    const starts = result.deferred.filter((each) => 'start' in each);
    scope.defer(() => {
      for (const each of result.deferred) if (!('start' in each)) carryOut(each, scope);
      // XState starts calls last, because the actor itself is not started yet.
      if (starts.length > 0) scope.defer(() => starts.forEach((each) => carryOut(each, scope)));
    });
    return snapshot;
  }

  /** Starts invoked actors after the events of the step are emitted. */
  override start(snapshot: any, scope?: AnyScope): void {
    if (scope) scope.defer(() => super.start(snapshot));
    else super.start(snapshot);
  }

  override transition(snapshot: MachineSnapshot, event: any, given: AnyScope): any {
    const scope = this.#scopeOf(given);
    const cut = event === goOnEvent ? this.#cuts.get(snapshot) : undefined;
    if (cut) this.#cuts.delete(snapshot);
    const result = this.#nextStep(snapshot, event, cut);
    if (!result) {
      const rest = cut ? { ...Object(cut.event) } : event;
      if (cut) this.#rests.add(rest);
      return this.#repeat(() => super.transition(snapshot as never, rest, scope));
    }
    const { deferred, isChange } = result;
    const next = isChange ? this.#snapshotOf(result, snapshot.historyValue, scope) : snapshot;
    if (result.cut) this.#cuts.set(next, result.cut);
    if (deferred.length > 0)
      scope.defer(() => {
        for (const each of deferred) carryOut(each, scope);
      });
    return next;
  }

  /** The event of a step that was cut is already taken: XState continues with a transition that does nothing. */
  override getTransitionData(snapshot: any, event: any): any {
    if (!this.#rests.has(event)) return super.getTransitionData(snapshot, event);
    return [{ source: this.root, target: undefined, actions: [], reenter: false, eventType: '' }];
  }

  /** Whether a step was cut here. It continues with `goOnEvent`. */
  isCut(snapshot: object): boolean {
    return this.#cuts.has(snapshot);
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
   * Works like XState, but keeps the context unchanged. XState would replace everything in it that looks like a reference to an
   * actor, even in data from outside (H8).
   */
  override restoreSnapshot(snapshot: any, scope: any): any {
    const restored: any = super.restoreSnapshot({ ...snapshot, context: {} } as never, scope);
    restored.context = snapshot.context;
    return restored;
  }

  #scopeOf(scope: AnyScope): AnyScope {
    // oxlint-disable-next-line no-underscore-dangle -- XState has no public name for the parent.
    const parent: AnyActorRef | undefined = (scope.self as AnyActorRef)._parent;
    if (!this.#emitsToParent || !parent) return scope;
    const emit = (event: EventObject) => {
      scope.emit(event);
      parent.send(event);
    };
    return { ...scope, emit };
  }

  /** @returns undefined for a step that XState has to take, as `#nextStep` */
  #firstStep(input: unknown): StepResult | undefined {
    const branches = this.#branches;
    const { context } = this.config as unknown as { context: (start: object) => object };
    return branches?.parts.surroundings.world.attempt(() =>
      Macrostep.first(branches, () => ({
        context: { ...context({ input }) },
        event: { type: 'xstate.init', input },
      })),
    );
  }

  #nextStep(snapshot: MachineSnapshot, event: any, cut?: Cut): StepResult | undefined {
    const branches = this.#branches;
    const { machine, status, value, context, children } = snapshot;
    if (!branches || status !== 'active' || machine !== this) return undefined;
    const branch = this.#byValue.get(value) ?? branches.at(value);
    if (!branch) return undefined;
    const rest = { branch, context, children };
    return branches.parts.surroundings.world.attempt(() =>
      cut ? Macrostep.goOn(branches, rest, cut) : Macrostep.next(branches, rest, event),
    );
  }

  /** Lets XState take a step. */
  #repeat<Next>(step: () => Next): Next {
    return this.#branches ? this.#branches.parts.surroundings.world.repeat(step) : step();
  }

  #snapshotOf(
    { branch, context, children: decided, end }: StepResult,
    historyValue: object,
    scope: AnyScope,
  ): MachineSnapshot {
    const children: Record<string, AnyActorRef> = {};
    for (const id of Object.keys(decided)) {
      const child = decided[id]!;
      children[id] = child instanceof CallStart ? this.#create(child, scope) : child;
    }
    const snapshot = { ...this.#patternOf(branch), context, children, historyValue };
    return (end ? { ...snapshot, output: end.output } : snapshot) as MachineSnapshot;
  }

  #create(start: CallStart, { self: parent }: AnyScope): AnyActorRef {
    const { call, input } = start;
    const { id, src } = call;
    const logic = this.implementations.actors[src] as AnyActorLogic;
    start.actor = createActor(logic, { id, src, parent, syncSnapshot: false, input } as object);
    return start.actor;
  }

  #patternOf(branch: Branch): MachineSnapshot {
    const known = this.#patterns.get(branch);
    if (known) return known;
    const status = branch.nodes[0]!.isEnd ? 'done' : 'active';
    // Unlike `resolveState`, this does not make all nodes of the chart to find out whether the state is final.
    const stored = { status, value: branch.value, context: {}, children: {}, historyValue: {} };
    const restored: any = super.restoreSnapshot(stored as never, {} as never);
    const pattern = status === 'done' ? reversed(restored) : restored;
    this.#patterns.set(branch, pattern);
    this.#byValue.set(pattern.value, branch);
    return pattern;
  }
}

/** The types of the events that do something, as XState lists them. */
function eventsOf(nodes: readonly GraphNode[]): readonly string[] {
  const types = new Set<string>();
  for (const placed of nodes)
    for (const [list, type] of descriptors(placed).entries()) {
      const doesSomething = placed.lists[list]!.edges.some((edge) => !isInert(edge.transition));
      if (type !== '' && doesSomething) types.add(type);
    }
  return [...types];
}

function isInert({ target, actions = [], reenter = false }: ChartTransition): boolean {
  return target === undefined && actions.length === 0 && !reenter;
}

/** XState does this once the actor has its new snapshot. */
function carryOut(deferred: Deferred, scope: AnyScope): void {
  if ('emit' in deferred) for (const event of deferred.emit) scope.emit(event);
  else if ('start' in deferred) deferred.start.actor?.start();
  else if (deferred.stop.getSnapshot().status === 'active') scope.stopChild(deferred.stop);
}

/** XState lists the nodes of a done actor in the order in which it left them. */
function reversed(snapshot: any): any {
  // oxlint-disable-next-line no-underscore-dangle -- XState has no public name for the active nodes.
  const nodes = snapshot._nodes.toReversed() as readonly { readonly tags: readonly string[] }[];
  return { ...snapshot, _nodes: nodes, tags: new Set(nodes.flatMap(({ tags }) => tags)) };
}

/** The snapshots of child actors to store; the previous ones when none has changed. */
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

function mapValues<Value, Mapped>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value) => Mapped,
): Record<string, Mapped> {
  const mapped: Record<string, Mapped> = {};
  for (const key of Object.keys(record)) mapped[key] = map(record[key]!);
  return mapped;
}

/** The machine, whose parent actor also receives the events that it emits. Other machines stay as they are. */
export function emittingToParent(machine: AnyStateMachine): AnyStateMachine {
  return machine instanceof LinkedMachine ? machine.emittingToParent() : machine;
}

/** How a linked machine runs as an agent of another definition; undefined when its format does not say. */
export function agentRoleOf(machine: AnyStateMachine): AgentRole | undefined {
  return machine instanceof LinkedMachine ? machine.agent : undefined;
}

/** Whether the last step of an actor was cut. It continues with `goOnEvent`. */
export function isCut(machine: AnyStateMachine, snapshot: object): boolean {
  return machine instanceof LinkedMachine && machine.isCut(snapshot);
}

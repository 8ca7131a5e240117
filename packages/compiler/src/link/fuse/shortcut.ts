import type { GraphNode } from '../../chart/graph.ts';
import type { Json } from '../../json.ts';
import type { EventObject, Scope } from '../behaviour.ts';
import { domainOf, isPlain, leafOf } from './domain.ts';
import { endsOf, type PlannedRun, type PlannedRuns } from './plan.ts';
import { Execution, type PreparedTransition, type Runner, type BoundAction } from './run.ts';

/** The parts of a linked chart that shortcuts need. */
export interface ShortcutParts {
  readonly nodes: readonly GraphNode[];
  readonly plans: PlannedRuns;
  readonly runner: Runner;
  readonly calls: ReadonlyMap<GraphNode, readonly LinkedCall[]>;
  readonly output: (scope: Pick<Scope, 'context'>) => Json;
  readonly surroundings: Pick<Scope, 'meta' | 'world'>;
}

/** A call of a node, as configured for XState. */
export interface LinkedCall {
  readonly id: string;
  readonly src: string;
  readonly input: (scope: Pick<Scope, 'context' | 'event'>) => unknown;
}

/** A node in which an actor rests while no other region is active. */
export interface RestNode {
  /** The state value of a snapshot. */
  readonly value: string | object;
  readonly isFinal: boolean;
  readonly calls: readonly LinkedCall[];
}

/** The decided result of a step. Nothing of it is carried out yet. */
export interface StepResult {
  readonly rest: RestNode;
  readonly context: Scope['context'];
  readonly emits: readonly EventObject[];
  /** The inputs of the node's calls, in order. */
  readonly inputs: readonly unknown[];
  /** Present when the node is final. */
  readonly output: Json | undefined;
}

/**
 * The fast path of most steps: an actor rests in a node with a call, the call is answered, and after a run the actor rests
 * in another such node or is done. Link time already knows which nodes such a step leaves and enters, that only the first
 * and the last node have effects, and that no other node is active. So XState does not need to compute it.
 *
 * `begin` and `next` return undefined for any other step. They have no side effects, so XState can still take the step.
 */
export class Shortcuts {
  readonly #parts: ShortcutParts;
  readonly #places: ReadonlyMap<GraphNode, AnsweringRestNode>;
  readonly #canBegin: boolean;

  constructor(parts: ShortcutParts) {
    const { nodes, plans } = parts;
    const rests = new Set(nodes.filter(isRest));
    this.#parts = parts;
    this.#places = new Map(Array.from(rests, (node) => [node, restNodeOf(node, rests, parts)]));
    const root = nodes[0]!;
    const ends = plans.start ? endsOf(plans.start) : [root];
    this.#canBegin =
      !root.node.entry && !root.node.invoke && ends.every((end) => rests.has(leafOf(end)));
  }

  /** The first step of an actor. */
  begin(scope: () => Pick<Scope, 'context' | 'event'>): StepResult | undefined {
    if (!this.#canBegin) return undefined;
    const { nodes, plans, runner, surroundings } = this.#parts;
    const { context, event } = scope();
    const execution = new Execution({ context, event }, surroundings);
    return this.#stepTo(
      execution,
      plans.start ? runner.run(execution, plans.start) : nodes[0]!,
      event,
    );
  }

  /** The step of an actor when one of its calls is answered or fails. */
  next(from: RestNode, scope: Pick<Scope, 'context' | 'event'>): StepResult | undefined {
    const transitions = (from as AnsweringRestNode).answers.get(scope.event.type);
    if (!transitions) return undefined;
    const { runner, surroundings } = this.#parts;
    const execution = new Execution(scope, surroundings);
    const taken = execution.choice(transitions);
    if (!taken) return undefined;
    execution.execute(taken.steps);
    const end = taken.plan ? runner.run(execution, taken.plan) : taken.target;
    return this.#stepTo(execution, end, scope.event);
  }

  /** The node in which an actor with this state value rests. */
  restAt(value: unknown): RestNode | undefined {
    let node = this.#parts.nodes[0]!;
    let inner = value;
    for (;;) {
      const keys = typeof inner === 'object' && inner !== null ? Object.keys(inner) : [inner];
      const child = node.children.find(({ key }) => key === keys[0]);
      if (!child || keys.length !== 1) return undefined;
      if (typeof inner === 'string') return this.#places.get(child);
      inner = (inner as Record<string, unknown>)[child.key];
      node = child;
    }
  }

  #stepTo(execution: Execution, end: GraphNode, event: Scope['event']): StepResult | undefined {
    const rest = this.#places.get(leafOf(end))!;
    execution.execute(rest.entry);
    const { context, effects } = execution;
    const emits: EventObject[] = [];
    for (const { emit, raise, send } of effects) {
      if (raise?.length || send?.length) return undefined;
      if (emit) emits.push(...emit);
    }
    const inputs = rest.calls.map(({ input }) => input({ context, event }));
    const output = rest.isFinal ? this.#parts.output({ context }) : undefined;
    return { rest, context, emits, inputs, output };
  }
}

interface AnsweringRestNode extends RestNode {
  readonly entry: readonly BoundAction[];
  /** The transitions for the end of each call, by event type. */
  readonly answers: ReadonlyMap<string, readonly PreparedAnswer[]>;
}

interface PreparedAnswer extends PreparedTransition {
  readonly target: GraphNode;
  readonly plan: PlannedRun | undefined;
}

/** Whether an actor that enters the node rests in it, and all other entered nodes are plain. */
function isRest({ kind, node, parent }: GraphNode): boolean {
  if (node.always || (kind !== 'atomic' && kind !== 'final')) return false;
  // When an actor is done, XState executes the exit actions of all active nodes.
  if (kind === 'final' && (parent!.parent || node.exit || parent!.node.exit)) return false;
  let at = parent;
  for (; at?.parent; at = at.parent) if (!isPlain(at) || at.node.always) return false;
  return at?.kind === 'compound' && !at.node.always;
}

function restNodeOf(
  node: GraphNode,
  rests: ReadonlySet<GraphNode>,
  { plans, runner, calls }: ShortcutParts,
): AnsweringRestNode {
  const { entry, exit, invoke = [] } = node.node;
  const answers = new Map<string, readonly PreparedAnswer[]>();
  // The lists of calls are the last of a node.
  const lists = node.lists.slice(node.lists.length - 2 * invoke.length).values();
  const isShort = (target: GraphNode, reenter: boolean | undefined) =>
    // XState leaves a node by a transition to itself only with `reenter`.
    rests.has(leafOf(target)) && domainOf(node, target, reenter) !== node;
  for (const { id } of exit ? [] : invoke) {
    for (const outcome of ['done', 'error']) {
      const { edges } = lists.next().value!;
      const areShort = edges.every((edge) => {
        const { targets, transition } = edge;
        const plan = plans.byEdge.get(edge);
        if (!plan) return targets.length === 1 && isShort(targets[0]!, transition.reenter);
        return Array.from(plan.ends).every(([end, { reenter }]) => isShort(end, reenter));
      });
      if (!areShort) continue;
      const prepared = edges.map((edge) => ({
        ...runner.prepareTransition(edge.transition),
        target: edge.targets[0]!,
        plan: plans.byEdge.get(edge),
      }));
      answers.set(`xstate.${outcome}.actor.${id}`, prepared);
    }
  }
  return {
    value: valueOf(node),
    isFinal: node.kind === 'final',
    calls: calls.get(node) ?? [],
    entry: runner.bindActions(entry),
    answers,
  };
}

function valueOf(node: GraphNode): string | object {
  let value: string | object = node.key;
  for (let at = node.parent; at?.parent; at = at.parent) value = { [at.key]: value };
  return value;
}

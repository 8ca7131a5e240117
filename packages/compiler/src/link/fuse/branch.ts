import type { Edge, GraphNode } from '../../chart/graph.ts';
import type { Json } from '../../json.ts';
import type { Scope } from '../behaviour.ts';
import { edgesByDescriptor, matchesWildcard } from './descriptors.ts';
import { leafOf } from './domain.ts';
import { type BoundNode, type LinkedCall, moveTo, NodeBinder } from './microstep.ts';
import type { RepeatableWorld } from './repeatable-world.ts';
import type { BoundTransition, CodeBinder } from './execution.ts';

/** The parts of a linked chart. */
export interface LinkedParts {
  readonly nodes: readonly GraphNode[];
  readonly code: CodeBinder;
  readonly calls: ReadonlyMap<GraphNode, readonly LinkedCall[]>;
  readonly output: (scope: Pick<Scope, 'context'>) => Json;
  readonly surroundings: Pick<Scope, 'meta'> & { readonly world: RepeatableWorld };
  /** The number of microsteps after which XState gives up. */
  readonly microstepsMax: number;
  /** The number of microsteps after which a step is cut. */
  readonly microstepsPerPart: number;
}

/** The effects of a transition other than its actions. */
export interface Microstep {
  /** The nodes that it leaves and enters, in order. */
  readonly left: readonly BoundNode[];
  readonly entered: readonly BoundNode[];
  /** The branch that is active afterwards. */
  readonly to: Branch;
  /** XState makes a new snapshot even if no action changes the context. */
  readonly isChange: boolean;
}

/** A transition of a branch. */
export interface BranchTransition extends BoundTransition {
  readonly microstep: Microstep;
}

/** The branches of a chart. Each is made when it becomes active for the first time. */
export class Branches {
  readonly parts: LinkedParts;
  readonly #binder: NodeBinder;
  readonly #byLeaf = new Map<GraphNode, Branch | undefined>();

  constructor(parts: LinkedParts) {
    this.parts = parts;
    this.#binder = new NodeBinder(parts.code, parts.calls);
  }

  /** The branch in which an actor begins. */
  get first(): Branch | undefined {
    return this.of(leafOf(this.parts.nodes[0]!));
  }

  /** @returns undefined when a node of the branch is parallel, or the node is not a leaf */
  of(leaf: GraphNode): Branch | undefined {
    if (this.#byLeaf.has(leaf)) return this.#byLeaf.get(leaf);
    const branch = isBranch(leaf) ? new Branch(leaf, this, this.#binder, this.parts) : undefined;
    this.#byLeaf.set(leaf, branch);
    return branch;
  }

  /** The branch with a state value. */
  at(value: unknown): Branch | undefined {
    let node = this.parts.nodes[0]!;
    let inner = value;
    for (;;) {
      const keys = typeof inner === 'object' && inner !== null ? Object.keys(inner) : [inner];
      const child = node.children.find(({ key }) => key === keys[0]);
      if (!child || keys.length !== 1) return undefined;
      if (typeof inner === 'string') return this.of(child);
      inner = (inner as Record<string, unknown>)[child.key];
      node = child;
    }
  }
}

/**
 * The active nodes of an actor when none of them is parallel: a leaf and its ancestors. Then an event takes at most one
 * transition, and the leaf determines the nodes that it leaves and enters. So each transition is computed once, when it is first
 * needed.
 */
export class Branch {
  /** The state value of a snapshot. */
  readonly value: string | object;
  readonly #leaf: GraphNode;
  readonly #branches: Branches;
  readonly #binder: NodeBinder;
  readonly #parts: LinkedParts;
  readonly #known = new Map<Edge, BranchTransition | undefined>();
  readonly #byType = new Map<string, readonly BranchTransition[] | undefined>();
  #nodes: readonly BoundNode[] | undefined;
  #always: { readonly transitions: readonly BranchTransition[] | undefined } | undefined;

  constructor(leaf: GraphNode, branches: Branches, binder: NodeBinder, parts: LinkedParts) {
    this.#leaf = leaf;
    this.value = valueOf(leaf);
    this.#branches = branches;
    this.#binder = binder;
    this.#parts = parts;
  }

  /** Its nodes, the innermost first. */
  get nodes(): readonly BoundNode[] {
    return (this.#nodes ??= pathOf(this.#leaf).map((node) => this.#binder.bind(node)));
  }

  /** The transitions that need no event, in XState's order; undefined when one of them does not lead to a branch. */
  get always(): readonly BranchTransition[] | undefined {
    return (this.#always ??= {
      transitions: this.#all(({ node, lists }) => (node.always ? lists[0]!.edges : [])),
    }).transitions;
  }

  /** The transitions for an event, in XState's order; undefined when one of them does not lead to a branch. */
  transitionsFor(type: string): readonly BranchTransition[] | undefined {
    const known = this.#byType.get(type);
    if (known || this.#byType.has(type)) return known;
    let isNamed = false;
    const transitions = this.#all((node) => {
      const edges = edgesByDescriptor(node);
      const exact = edges.get(type);
      isNamed ||= exact !== undefined;
      const wildcards = Array.from(edges.keys()).filter(
        (descriptor) => descriptor !== type && matchesWildcard(type, descriptor),
      );
      return [
        ...(exact ?? []),
        ...wildcards
          .toSorted((a, b) => b.length - a.length)
          .flatMap((descriptor) => edges.get(descriptor)!),
      ];
    });
    // Types that the chart does not name come from outside: caching them would let memory grow without limit.
    if (isNamed) this.#byType.set(type, transitions);
    return transitions;
  }

  /** XState asks the innermost node first, and takes the first transition whose guard holds. */
  #all(edgesOf: (node: GraphNode) => readonly Edge[]): readonly BranchTransition[] | undefined {
    const transitions: BranchTransition[] = [];
    for (const source of pathOf(this.#leaf)) {
      for (const edge of edgesOf(source)) {
        if (!this.#known.has(edge)) this.#known.set(edge, this.#bound(source, edge));
        const transition = this.#known.get(edge);
        if (!transition) return undefined;
        transitions.push(transition);
      }
    }
    return transitions;
  }

  #bound(source: GraphNode, edge: Edge): BranchTransition | undefined {
    const { transition, targets } = edge;
    if (targets.length > 1) return undefined;
    const [target] = targets;
    const microstep = target ? this.#microstep(source, target, transition.reenter) : this.#stay;
    return microstep && { ...this.#parts.code.transition(transition), microstep };
  }

  get #stay(): Microstep {
    return { left: [], entered: [], to: this, isChange: false };
  }

  #microstep(
    source: GraphNode,
    target: GraphNode,
    reenter: boolean | undefined,
  ): Microstep | undefined {
    const move = moveTo(target, { leaf: this.#leaf, source }, reenter);
    const to = move && this.#branches.of(move.leaf);
    if (!to) return undefined;
    const left = move.left.map((node) => this.#binder.bind(node));
    const entered = move.entered.map((node) => this.#binder.bind(node));
    const makesCalls = [...left, ...entered].some(({ calls }) => calls.length > 0);
    return { left, entered, to, isChange: to !== this || makesCalls };
  }
}

function isBranch(leaf: GraphNode): boolean {
  if (leaf.kind !== 'atomic' && leaf.kind !== 'final') return false;
  for (let at = leaf.parent; at; at = at.parent) if (at.kind !== 'compound') return false;
  return leaf.parent !== undefined;
}

/** A node and its ancestors, the innermost first. */
function pathOf(leaf: GraphNode): readonly GraphNode[] {
  const path = [leaf];
  for (let at = leaf.parent; at; at = at.parent) path.push(at);
  return path;
}

function valueOf(leaf: GraphNode): string | object {
  let value: string | object = leaf.key;
  for (let at = leaf.parent; at?.parent; at = at.parent) value = { [at.key]: value };
  return value;
}

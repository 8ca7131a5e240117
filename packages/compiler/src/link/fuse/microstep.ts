import type { GraphNode } from '../../chart/graph.ts';
import type { Scope } from '../behaviour.ts';
import { doneEventOf } from './descriptors.ts';
import { domainOf, isAncestor, leafOf } from './domain.ts';
import type { BoundAction, CodeBinder } from './execution.ts';

/** A call of a node, as configured for XState. */
export interface LinkedCall {
  readonly id: string;
  readonly src: string;
  readonly input: (scope: Pick<Scope, 'context' | 'event'>) => unknown;
}

/** A node bound to code. */
export interface BoundNode {
  readonly entry: readonly BoundAction[];
  readonly exit: readonly BoundAction[];
  readonly calls: readonly LinkedCall[];
  /** Entering it ends the actor. */
  readonly isEnd: boolean;
  /** Raised when the node is entered, because its parent is done then. */
  readonly doneEvent: string | undefined;
}

/** Binds nodes to code, each once. */
export class NodeBinder {
  readonly #code: CodeBinder;
  readonly #calls: ReadonlyMap<GraphNode, readonly LinkedCall[]>;
  readonly #bound = new Map<GraphNode, BoundNode>();

  constructor(code: CodeBinder, calls: ReadonlyMap<GraphNode, readonly LinkedCall[]>) {
    this.#code = code;
    this.#calls = calls;
  }

  bind(placed: GraphNode): BoundNode {
    const known = this.#bound.get(placed);
    if (known) return known;
    const { node, kind, parent } = placed;
    const completed = kind === 'final' ? parent : undefined;
    const bound = {
      entry: this.#code.actions(node.entry),
      exit: this.#code.actions(node.exit),
      calls: this.#calls.get(placed) ?? [],
      isEnd: completed !== undefined && !completed.parent,
      doneEvent: completed?.parent && doneEventOf(completed),
    };
    this.#bound.set(placed, bound);
    return bound;
  }
}

/** The nodes that a transition leaves and enters. */
export interface Move {
  /** The innermost first. */
  readonly left: readonly GraphNode[];
  /** The outermost first. */
  readonly entered: readonly GraphNode[];
  readonly leaf: GraphNode;
}

/**
 * Computes as XState does where a transition with one target leads from a leaf, when no active node is parallel.
 *
 * @returns undefined for the root as a target or a source that is left, and when history is recorded
 */
export function moveTo(
  target: GraphNode,
  from: { readonly leaf: GraphNode; readonly source: GraphNode },
  reenter: boolean | undefined,
): Move | undefined {
  const domain = target.parent && domainOf(from.source, target, reenter);
  if (!domain) return undefined;
  const within = (leaf: GraphNode): GraphNode[] => {
    const nodes: GraphNode[] = [];
    for (let at: GraphNode | undefined = leaf; at && isAncestor(domain, at); at = at.parent)
      nodes.push(at);
    return nodes;
  };
  const left = within(from.leaf);
  if (left.some(({ children }) => children.some(({ kind }) => kind === 'history')))
    return undefined;
  const leaf = leafOf(target);
  return { left, entered: within(leaf).toReversed(), leaf };
}

import type { GraphNode } from '../../chart/graph.ts';
import { descriptors, isWildcard } from './descriptors.ts';

/** Tells whether no other region takes a transition in the same step as this list of a node. */
export type HandledAloneCheck = (node: GraphNode, list: number) => boolean;

/**
 * Regions take their transitions for one event in the same step, and then `always` transitions in lockstep. Fusing a run in
 * one region would change the order of emitted events, and how far the other regions get before one of them leaves the
 * parallel node. So inside a region, only events that no other region handles are fused, and never `always`.
 */
export function handledAloneCheck(): HandledAloneCheck {
  const handled = new Map<GraphNode, HandledEvents>();
  return (node, list) => {
    let region = node;
    for (let parent = node.parent; parent !== undefined; region = parent, parent = parent.parent) {
      if (parent.kind !== 'parallel') continue;
      const descriptor = descriptors(node)[list]!;
      if (descriptor === '') return false;
      let known = handled.get(parent);
      if (!known) handled.set(parent, (known = new HandledEvents(parent)));
      if (!known.onlyBy(region, descriptor)) return false;
    }
    return true;
  };
}

/** Which events are handled in which regions of a parallel node. */
class HandledEvents {
  /** Undefined when several regions handle the event. */
  readonly #exactly = new Map<string, GraphNode | undefined>();
  readonly #byWildcard: { readonly region: GraphNode; readonly descriptor: string }[] = [];

  constructor(parallel: GraphNode) {
    for (const region of parallel.children) {
      const pending = [region];
      for (const node of pending) {
        for (const descriptor of descriptors(node)) this.#add(region, descriptor);
        for (const child of node.children) pending.push(child);
      }
    }
  }

  #add(region: GraphNode, descriptor: string): void {
    if (isWildcard(descriptor)) this.#byWildcard.push({ region, descriptor });
    const other = this.#exactly.has(descriptor) ? this.#exactly.get(descriptor) : region;
    this.#exactly.set(descriptor, other === region ? region : undefined);
  }

  onlyBy(region: GraphNode, descriptor: string): boolean {
    if (this.#exactly.get(descriptor) !== region) return false;
    const others = isWildcard(descriptor)
      ? Array.from(this.#exactly, ([key, by]) => ({ region: by, descriptor: key }))
      : this.#byWildcard;
    return !others.some(
      (other) => other.region !== region && overlap(other.descriptor, descriptor),
    );
  }
}

/** True when one event may match both, at least one of which is a wildcard. `a.*` matches `a` too. */
function overlap(a: string, b: string): boolean {
  const [first, second] = [stem(a), stem(b)];
  return (isWildcard(a) && second.startsWith(first)) || (isWildcard(b) && first.startsWith(second));
}

function stem(descriptor: string): string {
  return descriptor.replace(/\.?\*$/, '');
}

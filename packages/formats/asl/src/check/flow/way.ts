import type { Node } from './workflow-graph.ts';

/** The states that a state leads to. */
export type NextOf = (node: Node) => Iterable<Node>;

/**
 * The names of the states on the shortest way to a state, from the start of the workflow.
 *
 * @param via where the way goes through, when that is possible
 */
export function wayTo(node: Node, via: Node | undefined, nextOf: NextOf): readonly string[] {
  const { machine, nodes, owner } = node.scope;
  const start = nodes.get(machine.StartAt);
  const outer = owner ? wayTo(owner, via, nextOf) : [];
  if (!start) return [...outer, node.state.name];
  const middle = via && enclosing(via, node);
  const through =
    middle && middle !== node
      ? joined(shortest(start, middle, nextOf), shortest(middle, node, nextOf))
      : undefined;
  const inner = through ?? shortest(start, node, nextOf) ?? [node];
  return [...outer, ...inner.map(({ state }) => state.name)];
}

/** The state that a node is, or is within, in the machine of another one. */
function enclosing(node: Node, other: Node): Node | undefined {
  let one: Node | undefined = node;
  while (one && one.scope !== other.scope) one = one.scope.owner;
  return one;
}

function joined(one: readonly Node[] | undefined, other: readonly Node[] | undefined) {
  return one && other && [...one, ...other.slice(1)];
}

function shortest(from: Node, to: Node, nextOf: NextOf): readonly Node[] | undefined {
  const before = new Map<Node, Node | undefined>([[from, undefined]]);
  for (const node of before.keys()) {
    if (node === to) return chain(to, before);
    for (const next of nextOf(node)) if (!before.has(next)) before.set(next, node);
  }
  return undefined;
}

function chain(to: Node, before: ReadonlyMap<Node, Node | undefined>): readonly Node[] {
  const nodes = [to];
  for (let node = before.get(to); node; node = before.get(node)) nodes.push(node);
  return nodes.toReversed();
}

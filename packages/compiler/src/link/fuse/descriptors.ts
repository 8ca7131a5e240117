import { type Edge, type GraphNode, idOf } from '../../chart/graph.ts';

/** XState's event descriptor of each transition list of a node; empty for `always`. */
export function descriptors(placed: GraphNode): string[] {
  const { node } = placed;
  return [
    ...(node.always ? [''] : []),
    ...Object.keys(node.on ?? {}),
    ...(node.onDone ? [doneEventOf(placed)] : []),
    ...(node.invoke ?? []).flatMap(({ id }) => [
      `xstate.done.actor.${id}`,
      `xstate.error.actor.${id}`,
    ]),
  ];
}

/** The type of the event that XState raises when the child of a node is done. */
export function doneEventOf(placed: GraphNode): string {
  return `xstate.done.state.${idOf(placed)}`;
}

/** The transitions of a node by XState's event descriptor, without those of `always`. Of equal descriptors the last one counts. */
export function edgesByDescriptor(placed: GraphNode): ReadonlyMap<string, readonly Edge[]> {
  const { node, lists } = placed;
  const edges = descriptors(placed).map((each, list) => [each, lists[list]!.edges] as const);
  return new Map(node.always ? edges.slice(1) : edges);
}

/** Whether a descriptor with a wildcard matches an event type in XState. `a.*` matches `a` too. */
export function matchesWildcard(type: string, descriptor: string): boolean {
  if (descriptor === '*') return true;
  if (!descriptor.endsWith('.*')) return false;
  const stem = descriptor.slice(0, -2);
  return (type === stem || type.startsWith(`${stem}.`)) && !stem.split('.').includes('*');
}

import type { GraphNode } from '../chart/graph.ts';

/** A record of nodes by their keys. A value is made when it is first read. */
export function lazyRecord<Value>(
  nodes: readonly GraphNode[],
  make: (placed: GraphNode) => Value,
): Record<string, Value> {
  const record: Record<string, Value> = {};
  for (const placed of nodes)
    Object.defineProperty(record, placed.key, {
      enumerable: true,
      configurable: true,
      get: () => {
        const value = make(placed);
        Object.defineProperty(record, placed.key, { value });
        return value;
      },
    });
  return record;
}

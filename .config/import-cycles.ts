/** The shortest cycle of each group of files that import each other. Uses Tarjan's strongly connected components. */
export function cyclesIn(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): void => {
    index.set(file, index.size);
    lowest.set(file, index.get(file)!);
    open.push(file);
    for (const target of imports.get(file) ?? []) {
      if (!index.has(target)) visit(target);
      if (open.includes(target)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(target)!));
    }
    if (lowest.get(file) !== index.get(file)) return;
    const group = open.splice(open.indexOf(file));
    if (group.length > 1 || imports.get(file)?.includes(file))
      cycles.push(shortestCycle(group, imports));
  };
  for (const file of imports.keys()) if (!index.has(file)) visit(file);
  return cycles;
}

/** The shortest way from a file of the group back to it. */
function shortestCycle(
  group: readonly string[],
  imports: ReadonlyMap<string, readonly string[]>,
): string[] {
  const [start = ''] = group;
  const ways: string[][] = [[start]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const target of imports.get(way.at(-1)!) ?? []) {
      if (target === start) return [...way, start];
      if (!group.includes(target) || seen.has(target)) continue;
      seen.add(target);
      ways.push([...way, target]);
    }
  }
  return [...group];
}

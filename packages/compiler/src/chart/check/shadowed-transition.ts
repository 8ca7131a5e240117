import type { Report } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { Reference } from '../chart.ts';
import type { Edge, GraphNode } from '../graph.ts';
import { shadowedTransition } from '../problems.ts';
import { pathKey } from './endless-loop.ts';

/**
 * Reports transitions that an earlier one hides. Candidates for an event are tried in order, so a candidate without a guard, or
 * with an equal guard, always wins. Reports only what an author wrote: lowering may add a fallback of its own at the end of a
 * list, or make several candidates of one authored transition.
 */
export function transitionsAreNotShadowed(nodes: readonly GraphNode[], report: Report): void {
  for (const node of nodes) {
    for (const { edges } of node.lists) if (edges.length > 1) checkList(edges, report);
  }
}

function checkList(edges: readonly Edge[], report: Report): void {
  const guarded = new Map<string, Edge>();
  let unguarded: Edge | undefined;
  for (const [index, edge] of edges.entries()) {
    const { guard } = edge.transition;
    if (unguarded) reportShadowed(edge, unguarded, report);
    else if (!guard) unguarded = edge;
    // The usual list, one guarded candidate and a fallback, has no guards to compare.
    else if (index > 0 || edges[index + 1]?.transition.guard) {
      const key = guardKey(guard);
      const earlier = guarded.get(key);
      if (earlier) reportShadowed(edge, earlier, report);
      else guarded.set(key, edge);
    }
  }
}

function reportShadowed(shadowed: Edge, earlier: Edge, report: Report): void {
  const origin = shadowed.transition.meta?.origin;
  const earlierOrigin = earlier.transition.meta?.origin;
  if (!origin || (earlierOrigin && pathKey(origin) === pathKey(earlierOrigin))) return;
  const why = earlier.transition.guard ? 'has the same condition' : 'has no condition';
  const related = earlierOrigin && [{ path: earlierOrigin, message: 'This one is taken instead.' }];
  const follows = earlierOrigin ? [origin, earlierOrigin] : [origin];
  report(shadowedTransition(why), origin, { ...(related ? { related } : {}), follows });
}

/** Returns equal strings for equal guards, in any order of their params' keys. Iterative: params may nest deeply. */
function guardKey(guard: Reference): string {
  let text = guard.type;
  const pending: { write?: string; value?: Json | undefined }[] = [{ value: guard.params ?? {} }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { write, value } = next;
    if (write !== undefined) text += write;
    else if (Array.isArray(value)) {
      text += '[';
      pending.push({ write: ']' });
      for (const item of value.toReversed()) pending.push({ write: ',' }, { value: item });
    } else if (typeof value === 'object' && value !== null) {
      const record = value as JsonObject;
      text += '{';
      pending.push({ write: '}' });
      for (const key of Object.keys(record).toSorted().toReversed()) {
        if (record[key] !== undefined)
          pending.push(
            { write: ',' },
            { value: record[key] },
            { write: `${JSON.stringify(key)}:` },
          );
      }
    } else text += JSON.stringify(value);
  }
  return text;
}

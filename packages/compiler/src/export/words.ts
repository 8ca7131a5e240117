import type { ChartTransition, Reference } from '../chart/chart.ts';
import type { GraphNode } from '../chart/graph.ts';
import { hiddenTag } from '../contract/tags.ts';
import { nodeName } from '../chart/node-name.ts';

/** What drawings of a chart have in common: what is left out, and what stands at nodes and arrows. */

const longestGuard = 60;

/** Characters of a name or a label at most. */
export const longestName = 80;

export function isDrawn({ node }: GraphNode): boolean {
  return !node.tags?.includes(hiddenTag);
}

/** The nodes that are left out, with all that is inside them. */
export function hiddenNodes(nodes: readonly GraphNode[]): Set<GraphNode> {
  const hidden = new Set<GraphNode>();
  for (const node of nodes)
    if (!isDrawn(node) || (node.parent && hidden.has(node.parent))) hidden.add(node);
  return hidden;
}

export function drawnName({ node, key, kind }: GraphNode): string {
  return kind === 'history' && !node.meta?.['title'] ? 'history' : nodeName(node, key);
}

/** When a transition is taken: in the author's words if there are any, else `[guard]`; nothing when it always is. */
export function conditionWords({ description, guard }: ChartTransition): string | undefined {
  return description ? cut(description, longestName) : guard && `[${guardWords(guard)}]`;
}

/** `hasAll names:[name,age],min:2` */
function guardWords({ type, params = {} }: Reference): string {
  const details = JSON.stringify(params).slice(1, -1).replaceAll('"', '');
  return cut(details === '' ? type : `${type} ${details}`, longestGuard);
}

export function cut(text: string, longest: number): string {
  const characters = Array.from(text);
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : text;
}
